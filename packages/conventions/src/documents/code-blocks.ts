import type { House } from '../house/house.ts'

/** A `ts` or `tsx` block of a document, as a separate module. */
export interface CodeBlock {
  readonly path: string
  /** The line of the document on which the code starts. */
  readonly line: number
  readonly code: string
  /** Whether it has elements of JSX. */
  readonly isTsx?: boolean
}

export function codeBlocks(path: string, markdown: string): CodeBlock[] {
  const fences = /^([^\S\n]*)(```+)(tsx?)[^\n]*\n([\s\S]*?)^\1\2[^\S\n]*$/gm
  return [...markdown.matchAll(fences)].map(({ index, 0: all, 3: language, 4: code = '' }) => ({
    path,
    line: markdown.slice(0, index + all.indexOf('\n')).split('\n').length + 1,
    code,
    ...(language === 'tsx' && { isTsx: true }),
  }))
}

/** The examples in the doc comments of a source file: the lines between `@example` and the next tag. */
export function codeExamples(path: string, source: string): CodeBlock[] {
  const tags = /^([^\S\n]*\*) @example\n((?:\1(?! @).*\n)+?)(?=[^\S\n]*\*(?: @|\/))/gm
  return [...source.matchAll(tags)].map(({ index, 2: lines = '' }) => ({
    path,
    line: source.slice(0, index).split('\n').length + 1,
    code: lines.replace(/^\s*\* ?/gm, ''),
  }))
}

/** The code that a reader may copy: of every README, of everything in `docs`, of the doc comments of the packages. */
export function documentedBlocks(house: House): CodeBlock[] {
  const documents = house.files
    .filter((path) => /^([^/]+\.md|docs\/.+\.md|(packages|examples)\/[^/]+\/[^/]+\.md)$/.test(path))
    .filter((path) => !path.endsWith('CHANGELOG.md'))
  const sources = house.packages.flatMap((one) => one.sources)
  return [
    ...documents.flatMap((path) => codeBlocks(path, house.read(path))),
    ...sources.flatMap(({ path, text }) => codeExamples(path, text)),
  ]
}

/** The first block of the repository's README and of each package's: it runs as it stands. */
export function firstExamples(house: House): CodeBlock[] {
  return ['README.md', ...house.packages.map(({ folder }) => `${folder}/README.md`)]
    .filter((path) => house.has(path))
    .flatMap((path) => codeBlocks(path, house.read(path)).slice(0, 1))
}
