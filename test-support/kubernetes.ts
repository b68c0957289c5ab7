import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

/** An object of Kubernetes, with the members that tests read. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: ReturnType<typeof JSON.parse>;
}

/** Parses the documents of a YAML file. Kubernetes reads YAML 1.1, in which 0440 is an octal number. */
export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest);

/** Returns the manifests of a folder by file name, except for the kustomization. */
export const readManifests = (folder: string): ReadonlyMap<string, Manifest> =>
  new Map(
    globSync('*.yaml', { cwd: folder, exclude: ['kustomization.yaml'] })
      .toSorted()
      .flatMap((file) => parseManifests(readFileSync(`${folder}/${file}`, 'utf8')).map((manifest) => [file, manifest])),
  );

/** Returns the module of the package kubernetes-types that declares an object of an API version, such as `apps/v1`. */
const moduleOf = ({ apiVersion }: Manifest): string => {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `kubernetes-types/${group.split('.')[0]}/${version}`;
};

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  types: [],
  // Parsing the types of browsers would take seconds.
  lib: ['lib.es5.d.ts'],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/**
 * Compares manifests with the published schemas of Kubernetes: the compiler checks them against the types that the package
 * kubernetes-types has generated from these. Returns what is wrong, one line for each fault.
 */
export const manifestFaults = (manifests: Iterable<Manifest>): readonly string[] => {
  const file = 'manifests.ts';
  const lines = Array.from(
    manifests,
    (one, at) => `export const manifest${at}: import('${moduleOf(one)}').${one.kind} = ${JSON.stringify(one)};`,
  );
  const disk = ts.createCompilerHost(OPTIONS);
  const source = ts.createSourceFile(file, lines.join('\n'), ts.ScriptTarget.ES2022);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => name === file || disk.fileExists(name),
    getSourceFile: (name, version) => (name === file ? source : disk.getSourceFile(name, version)),
  };
  const program = ts.createProgram([file], OPTIONS, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ').replaceAll(/\s+/g, ' '));
};
