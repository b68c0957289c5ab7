/** Returns the code blocks of a Markdown text in a language, in order. */
export const codeBlocks = (markdown: string, language: string): readonly string[] =>
  [...markdown.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code = '']) => code);
