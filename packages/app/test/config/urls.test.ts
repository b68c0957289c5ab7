import { expect } from 'chai';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf } from './settings.ts';

describe('The origins and the public URL of the configuration', () => {
  for (const wrong of ['*', 'https://*.example', 'null', 'example.org', 'ftp://example.org', 'https://a.example,,']) {
    it(`rejects ${wrong} in CORS_ORIGINS`, () => {
      expect(faultsOf({ CORS_ORIGINS: wrong })).to.have.length(1);
    });
  }

  for (const near of [
    'https://a.example/',
    'https://a.example/x',
    'HTTPS://a.example',
    'https://a.example:443',
    'https://u@a.example',
    'a.example',
    'a.example:443',
  ]) {
    it(`rejects ${near} in CORS_ORIGINS and suggests the origin`, () => {
      const [line] = faultsOf({ CORS_ORIGINS: `http://localhost:8080, ${near}` });
      expect(line)
        .to.match(/^CORS_ORIGINS contains ".*"/)
        .and.include('did you mean https://a.example?');
    });
  }

  it('suggests http for an origin of this machine without a scheme', () => {
    for (const near of ['localhost:3000', 'LOCALHOST:3000', '127.0.0.1:3000']) {
      const [line] = faultsOf({ CORS_ORIGINS: near });
      expect(line)
        .to.include(`contains "${near}", which is not an origin`)
        .and.include(`mean http://${near.toLowerCase()}?`);
    }
  });

  it('accepts PUBLIC_URL and removes its trailing slashes', () => {
    const urlOf = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).http.publicUrl;
    expect(urlOf('https://members.example')).to.equal('https://members.example');
    expect(urlOf('HTTP://Members.example:8080/chapter//')).to.equal('http://members.example:8080/chapter');
    for (const wrong of [
      'members.example',
      'ftp://members.example',
      '//members.example',
      'https://',
      'https:example',
    ]) {
      expect(faultsOf({ PUBLIC_URL: wrong }), wrong).to.deep.equal([
        'PUBLIC_URL must be an http or https URL such as https://example.org',
      ]);
    }
    for (const wrong of ['https://me:secret@members.example', 'https://a.example/?x', 'https://a.example/#']) {
      expect(faultsOf({ PUBLIC_URL: wrong }), wrong).to.deep.equal([
        'PUBLIC_URL must have no user, password, query or fragment',
      ]);
    }
  });

  it('accepts PASSWORD_PAGE_URL unchanged, but without a fragment', () => {
    const { passwordPageUrl } = readConfig({ PASSWORD_PAGE_URL: 'https://app.example/password/?lang=de' }).http;
    expect(passwordPageUrl).to.equal('https://app.example/password/?lang=de');
    for (const wrong of ['https://me:secret@app.example', 'https://app.example/#/password', 'https://app.example/#']) {
      expect(faultsOf({ PASSWORD_PAGE_URL: wrong }), wrong).to.deep.equal([
        'PASSWORD_PAGE_URL must have no user, password or fragment',
      ]);
    }
    expect(faultsOf({ PASSWORD_PAGE_URL: '/password/' })).to.deep.equal([
      'PASSWORD_PAGE_URL must be an http or https URL such as https://example.org',
    ]);
  });
});
