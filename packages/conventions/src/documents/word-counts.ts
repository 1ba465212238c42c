import type { House } from '../house/house.ts'

/** A document with more words than a reader wants, or the count of one that is in order. */
export interface WordCount {
  readonly path: string
  readonly words: number
  readonly limit: number
}

/** The limits of a page, and of the README of a package, which is read with its code. */
const limits = { page: 2500, packageReadme: 800 } as const

/** Returns the words of every page of the documentation and of every README of a package, the longest first. */
export function wordCounts(house: House): readonly WordCount[] {
  return house.files
    .flatMap((path) => {
      const limit = limitOf(path)
      return limit === null ? [] : [{ path, words: countWords(house.read(path)), limit }]
    })
    .sort((left, right) => right.words / right.limit - left.words / left.limit)
}

function limitOf(path: string): number | null {
  if (/^packages\/[^/]+\/README\.md$/.test(path)) return limits.packageReadme
  const isPage = /^(README\.md|SECURITY\.md|docs\/.+\.md|examples\/[^/]+\/README\.md)$/.test(path)
  return isPage ? limits.page : null
}

/** Returns how many words a reader reads: without blocks of code, the targets of links, and the lines of tables. */
export function countWords(markdown: string): number {
  const text = markdown
    .replace(/^([^\S\n]*)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\S\n]*$/gm, '')
    .replace(/(?<=\])\([^)\s]+\)/g, '')
    .replace(/^\[[^\]]+\]:\s.*$/gm, '')
  return text.match(/[^\s|]*[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0
}
