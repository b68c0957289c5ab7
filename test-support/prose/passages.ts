import ts from 'typescript';

/** A piece of prose: a paragraph, a list item, a table cell, a comment, a message or the title of a test. */
export interface Passage {
  readonly line: number;
  readonly text: string;
  /** Whether the text is written in sentences. Messages can be fragments that the product joins. */
  readonly hasSentences: boolean;
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

/** Replaces each piece of code by one word, and removes the targets of links. */
const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, 'code').replaceAll(/\]\([^)]*\)/g, ']');

/** Makes a collector that joins lines of prose into passages. */
const makeCollector = () => {
  const passages: Passage[] = [];
  let lines: string[] = [];
  let start = 1;
  return {
    passages,
    add: (number: number, text: string): void => {
      if (lines.length === 0) start = number;
      lines.push(text);
    },
    /** Ends the passage to which the lines since the last call belong. */
    close: (): void => {
      if (lines.length > 0) passages.push({ line: start, text: withoutCode(lines.join(' ')), hasSentences: true });
      lines = [];
    },
  };
};

/** Returns the prose of a Markdown document, without code blocks. */
export const markdownPassages = (text: string): readonly Passage[] => {
  const prose = text.replaceAll(/^[ \t]*(```|~~~)[^]*?^[ \t]*\1/gm, (block) => block.replaceAll(/[^\n]/g, ''));
  const { add, close, passages } = makeCollector();
  for (const [at, line] of prose.split('\n').entries()) {
    const isTableRow = line.trimStart().startsWith('|');
    if (isTableRow || /^\s*($|#|[-*] |\d+\. |>)/.test(line)) close();
    if (isTableRow) {
      for (const cell of withoutCode(line).split(/\||<br>/)) {
        if (cell.trim() !== '') passages.push({ line: at + 1, text: cell.trim(), hasSentences: true });
      }
    } else if (line.trim() !== '') {
      add(at + 1, line.trim());
    }
  }
  close();
  return passages;
};

/** Returns the line comments of a file such as a script or a Dockerfile. A comment starts with `#` or `//`. */
export const lineCommentPassages = (text: string): readonly Passage[] => {
  const { add, close, passages } = makeCollector();
  for (const [at, line] of text.split('\n').entries()) {
    const [, comment = ''] = /^\s*(?:#(?!!)|\/\/)\s*(.*)$/.exec(line) ?? [];
    if (comment === '') close();
    else add(at + 1, comment);
  }
  close();
  return passages;
};

const TITLED = new Set(['describe', 'it', 'context', 'specify']);

/** Returns the texts of comments. Comments on adjacent lines are one passage, up to a blank line, a list item or a tag. */
const commentPassages = (text: string, ranges: readonly ts.CommentRange[]): readonly Passage[] => {
  const { add, close, passages } = makeCollector();
  let end = -1;
  for (const { pos, end: behind } of ranges) {
    const first = lineAt(text, pos);
    if (first !== end + 1) close();
    for (const [at, raw] of text.slice(pos, behind).split('\n').entries()) {
      const line = raw
        .replace(/^\s*(\/\*\*?|\*\/|\*|\/\/)/, '')
        .replace(/\*\/\s*$/, '')
        .trim();
      if (line === '' || /^(@|[-*] )/.test(line)) close();
      if (line !== '') add(first + at, line);
    }
    end = lineAt(text, behind);
  }
  close();
  return passages;
};

const isLiteral = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteralLike(node) ||
  node.kind === ts.SyntaxKind.TemplateHead ||
  node.kind === ts.SyntaxKind.TemplateMiddle ||
  node.kind === ts.SyntaxKind.TemplateTail;

/** Whether a text is the title of a test or of a group of tests, or a part of one. */
const isTitle = ({ parent }: ts.Node): boolean => {
  if (ts.isTemplateExpression(parent) || ts.isTemplateSpan(parent)) return isTitle(parent);
  return ts.isCallExpression(parent) && TITLED.has(parent.expression.getText().split('.')[0] ?? '');
};

/** Whether a text is SQL or a table: it has several lines, or begins with a keyword of SQL. */
const isCode = (text: string): boolean => text.includes('\n') || /^\s*(?:select|add column)\b/.test(text);

/**
 * Returns the prose of a TypeScript file: its comments and its texts of several words. In a test file, only the titles
 * count, because its other texts are samples.
 */
export const sourcePassages = (path: string, text: string): readonly Passage[] => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const comments = new Map<number, ts.CommentRange>();
  const literals: Passage[] = [];
  const isTest = path.endsWith('.test.ts');
  const visit = (node: ts.Node): void => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ]) {
      comments.set(range.pos, range);
    }
    if (isLiteral(node) && /\S\s+\S/.test(node.text) && (!isTest || isTitle(node))) {
      literals.push({ line: lineAt(text, node.getStart()), text: node.text, hasSentences: !isCode(node.text) });
    }
    node.getChildren(file).forEach(visit);
  };
  visit(file);
  const ranges = [...comments.values()].toSorted((a, b) => a.pos - b.pos);
  return [...commentPassages(text, ranges), ...literals];
};
