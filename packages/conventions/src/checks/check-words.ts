import type { House } from '../house/house.ts'

/** Words that say less than others do, and what to write instead. */
const words: readonly { readonly word: RegExp; readonly instead: string }[] = [
  { word: /\bGives\b/, instead: '“Returns …” or “Creates …”' },
  { word: /\bTells\b/, instead: '“Returns whether …” or “Describes …”' },
  { word: /\b[Ww]hoever\b/, instead: 'who it is: “callers”, “clients”, “the application”' },
  { word: /\b[Nn]obody\b/, instead: 'who does not: “no caller”, “no process”, or the passive' },
  { word: /\b[Ss]omebody\b/, instead: 'who does: “a user”, “another process”, or the passive' },
  { word: /\bunless told\b/, instead: '“by default”, or `@default` in a doc comment' },
  { word: /\bat hand\b/, instead: '“available”, “installed” or “loaded”' },
]

const texts = /^(?!.*(CHANGELOG\.md|\.changeset\/)).*\.(ts|mjs|md|jsonc?)$|^\.ci\//
const listsThem = /\/(check-words|words\.test)\.ts$/

/** Sources, tests and documents are written in the plain English of the field. `within` are beginnings of paths. */
export function checkWords(house: House, within: readonly string[] = ['']): string[] {
  return house.files
    .filter((path) => texts.test(path) && !listsThem.test(path) && within.some((start) => path.startsWith(start)))
    .flatMap((path) =>
      house
        .read(path)
        .split('\n')
        .flatMap((line, index) => findIn(line, `${path}:${index + 1}`)),
    )
}

function findIn(line: string, place: string): string[] {
  return words.flatMap(({ word, instead }) => {
    const found = word.exec(line)
    return found ? [`${place}: “${found[0]}”: write ${instead}`] : []
  })
}
