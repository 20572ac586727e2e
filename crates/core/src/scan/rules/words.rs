//! Words around names, and names that are none.

use crate::rule::table;

table! {
    /// Words before a colon that begin something else, directly after a DOI.
    pub(in crate::scan) LEADS, "running text, fields", "ends the DOI" {
        "HTTP": "see 10.1039/c1cy00107h.http://example.org/" => "10.1039/C1CY00107H";
        "HTTPS": "see 10.1039/c1cy00107h.https://example.org/" => "10.1039/C1CY00107H";
        "DOI": "see 10.1000/97218DOI: 10.1126/science.1255642" => "10.1000/97218 10.1126/SCIENCE.1255642";
        "PUBLISHED": "see 10.1900/RDS.2011.8.51Published:May 2010" => "10.1900/RDS.2011.8.51";
        "PMID": "see 10.1126/science.1255642.PMID:26068859" => "10.1126/SCIENCE.1255642";
        "PMCID": "see 10.1126/science.1255642.PMCID:PMC26068859" => "10.1126/SCIENCE.1255642";
        "ISI": "see 10.1126/science.1255642ISI:000341215400039" => "10.1126/SCIENCE.1255642";
        "WOS": "see 10.1126/science.1255642WOS:000341215400039" => "10.1126/SCIENCE.1255642";
    }
}

table! {
    /// Labels before the number of a reference in a key.
    pub(in crate::scan) KEY_LABELS, "fields named key", "reference-key" {
        "BIB": "\"key\":\"10.1016/j.abb.2016.10.011_bib9\"" => "reference-key";
        "BBIB": "\"key\":\"10.1016/j.abb.2016.10.011_bbib9\"" => "reference-key";
        "BB": "\"key\":\"10.1016/j.abb.2016.10.011_bb9\"" => "reference-key";
        "BR": "\"key\":\"10.1016/j.abb.2016.10.011_br9\"" => "reference-key";
        "B": "\"key\":\"10.1016/j.abb.2016.10.011_b9\"" => "reference-key";
        "REF": "\"key\":\"10.7717/peerj.7347/ref-26\"" => "reference-key";
        "R": "\"key\":\"10.1063/1.365103_r_1\"" => "reference-key";
        "CR": "\"key\":\"10.1007/s11192-016-2006-2-cr9\"" => "reference-key";
        "CIT": "\"key\":\"10.1016/j.abb.2016.10.011_cit9\"" => "reference-key";
        "C": "\"key\":\"10.1016/j.abb.2016.10.011_c9\"" => "reference-key";
        "H": "\"key\":\"10.1016/j.ica.2017.12.037_h0195\"" => "reference-key";
        "RF": "\"key\":\"10.1016/j.abb.2016.10.011_rf9\"" => "reference-key";
        "SREF": "\"key\":\"10.1016/j.abb.2016.10.011_sref9\"" => "reference-key";
    }
}
