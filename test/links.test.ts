import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

const documents = atLeast(
  30,
  globSync(['*.md', 'bench/*.md', '{docs,deploy,examples}/**/*.md', 'packages/*/README.md']),
);

/** Returns the link targets of a document: a path from the root, and the anchor of a heading if there is one. */
const linksOf = (document: string): readonly { readonly path: string; readonly anchor: string | undefined }[] =>
  [...readFileSync(document, 'utf8').matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(
    ([, path = '', anchor]) => ({
      path: path === '' ? document : join(dirname(document), path),
      anchor,
    }),
  );

/** Returns the anchors of a document's headings in the format of GitHub. */
const anchorsOf = (document: string): readonly string[] =>
  [...readFileSync(document, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('The documents', () => {
  for (const document of documents) {
    it(`${document} has no broken links`, () => {
      const dead = linksOf(document).filter(
        ({ path, anchor }) => !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor)),
      );
      expect(dead).to.deep.equal([]);
    });
  }

  it('show every image of docs/images, and no image that does not exist', () => {
    const shown = documents.flatMap((document) =>
      [...readFileSync(document, 'utf8').matchAll(/<img src="([^":]+)"|!\[[^\]]*\]\(([^):]+)\)/g)].map(
        ([, tag, link]) => join(dirname(document), tag ?? link ?? ''),
      ),
    );
    expect(new Set(shown)).to.deep.equal(new Set(globSync('docs/images/*')));
  });

  it('are all linked from the README', () => {
    const linked = linksOf('README.md').map(({ path }) => path);
    const documents = globSync(['*.md', 'docs/*.md', 'examples/README.md']).filter((path) => path !== 'README.md');
    expect(linked).to.include.members([...atLeast(10, documents)]);
  });

  it('number the decisions without a gap', () => {
    const numbers = globSync('docs/decisions/*.md').map((path) => Number(/\/(\d+)-/.exec(path)?.[1]));
    expect(atLeast(15, numbers).toSorted((a, b) => a - b)).to.deep.equal(numbers.map((_, at) => at + 1));
  });
});
