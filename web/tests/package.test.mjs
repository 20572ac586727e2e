// The npm package as Node users meet it: scripts/web packs it and installs the tarball.
import assert from "node:assert/strict";
import { test } from "node:test";
import { find, findAll, judge, normalize } from "doiscan";

test("names are found once, in order", () => {
  const text = "see https://doi.org/10.1000/182, 10.1000%2F183 and doi:10.1000/182.";
  assert.deepEqual(find(text), ["10.1000/182", "10.1000/183"]);
  assert.deepEqual(find("no name"), []);
});

test("places are those of slice", () => {
  const text = "é𝒳 (doi:10.1000/abc) „10.1000/def“";
  assert.deepEqual(findAll(text).map(({ doi, start, end }) => [doi, text.slice(start, end)]), [
    ["10.1000/ABC", "10.1000/abc"],
    ["10.1000/DEF", "10.1000/def"],
  ]);
});

test("values are judged", () => {
  assert.deepEqual(judge("https://doi.org/10.1000/abc"), { valid: true, doi: "10.1000/ABC", reason: null, notes: [] });
  const { valid, doi, reason } = judge("10.1000");
  assert.deepEqual([valid, doi], [false, null]);
  assert.match(reason, /\S/);
  const several = judge("10.1000/a;10.1000/b");
  assert.deepEqual([several.valid, several.doi, several.notes], [false, null, ["several-dois"]]);
  assert.equal(normalize("10.1000/a;10.1000/b"), null);
  assert.equal(normalize("see 10.1000/abc"), "10.1000/ABC");
  assert.equal(normalize("nothing"), null);
  assert.equal(judge("see 10.1000/abc", { strict: true }).doi, null);
});

test("many texts leave no memory behind", () => {
  const text = "10.1000/a ".repeat(10_000);
  for (let i = 0; i < 200; i += 1) assert.equal(findAll(text).length, 10_000);
});
