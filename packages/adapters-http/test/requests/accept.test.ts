import { expect } from 'chai';
import { prefersCsv } from '../../src/requests/headers.ts';

const CSV = [
  'text/csv',
  'TEXT/CSV',
  'text/csv;charset=utf-8',
  'text/csv ; header=present , text/html',
  'text/csv, application/json;q=0.9',
  'application/json;q=0.9, text/csv',
  'text/csv;q=0.5, application/json;q=0.499',
  'text/csv;q=0.5, */*;q=0.1',
  'text/csv, application/*;q=0.8, */*;q=0.9',
  'text/csv;q=0.001',
  'text/csv;q=0.1, application/json;q=0',
  'text/csv;q=0.1, application/json;q=0, */*',
  'text/csv;q=0.1, text/csv;q=0.9, application/json;q=0.5',
  'text/html, , text/csv;q=0.5,',
  'text/csv;a="x, application/json";Q=1, application/json;q=0.5',
];

const JSON_HEADERS = [
  '',
  '*/*',
  'text/*',
  'text/*, */*;q=0.1',
  'application/json',
  'application/json, text/csv',
  'text/csv, application/json',
  'text/csv, */*',
  'text/csv, application/*',
  'text/csv;q=0.5, application/*;q=0.5, */*;q=0.1',
  'text/csv;q=0.5, */*',
  'text/csv;q=0',
  'text/csv;q=0.000, application/json;q=0',
  'text/csv;q=0.9, application/json;profile=x',
  'text/csvx',
  'x-text/csv-y',
  'text/csv/x',
  'text/plain;a="text/csv"',
  'text/plain;a=", text/csv, "',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'image/png',
  // Malformed headers.
  'text/csv;q=2',
  'text/csv;q=-1',
  'text/csv;q=high',
  'text/csv;q=0.1234',
  'text/csv;q',
  'text/csv; header = present',
  'text/csv text/csv',
  'text/csv, "',
  'text/csv, a/b;c="x',
  'text/csv;;q=1 x',
];

describe('The Accept header', () => {
  for (const accept of CSV) it(`asks for CSV: ${accept}`, () => expect(prefersCsv(accept)).to.equal(true));
  for (const accept of JSON_HEADERS) {
    it(`asks for JSON: ${accept}`, () => expect(prefersCsv(accept)).to.equal(false));
  }
});
