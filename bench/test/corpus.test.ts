import { expect } from 'chai';
import { findHold, holdLine, leastHold } from '../corpus/hold.ts';
import { corpusReport } from '../corpus/report.ts';

const hold = (longestMs: number) => ({ longestMs, totalMs: longestMs * 2 });

describe('The report of hostile requests', () => {
  const requests = Array.from({ length: 12 }, (_, at) => ({
    title: `request ${at}`,
    bytes: at,
    status: '422',
    hold: hold(at + 1),
  }));

  it('lists the ten slowest, and says whether the longest is within 50 ms', () => {
    const text = corpusReport(['somewhere'], 5, requests);
    expect(text).to.include('12 requests').and.include('is 12.0 ms; at most 50 ms: yes');
    expect(text.match(/request \d+/g)).to.have.lengthOf(10);
    expect(text).to.not.include('request 1 ');
    const slow = { title: 'slow', bytes: 1, status: 'disconnected', hold: hold(51) };
    expect(corpusReport([], 5, [...requests, slow])).to.include('at most 50 ms: **no**');
  });

  it('reads what the service printed, and takes the least of several measurements', () => {
    const output = `listens\n${holdLine(1, hold(3))}\n${holdLine(11, hold(4))}\nhold 2 {"lon`;
    expect(findHold(output, 1)).to.deep.equal(hold(3));
    expect(findHold(output, 2)).to.equal(undefined);
    expect(leastHold([hold(3), hold(2), hold(5)])).to.deep.equal(hold(2));
  });
});
