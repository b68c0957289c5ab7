const NUMBER = /^[≥≤<–\d]/;

/** A table in Markdown whose columns stand under each other; columns of numbers to the right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const isRight = head.map((_, at) => rows.every((row) => NUMBER.test(row[at] ?? '') || row[at] === ''));
  const width = head.map((name, at) => Math.max(3, name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, at) => (isRight[at] ? cell.padStart(width[at] ?? 0) : cell.padEnd(width[at] ?? 0)));
    return `| ${padded.join(' | ')} |`;
  };
  const rule = width.map((size, at) => (isRight[at] ? `${'-'.repeat(size - 1)}:` : '-'.repeat(size)));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
};
