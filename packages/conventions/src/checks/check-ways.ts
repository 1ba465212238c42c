import { entriesOf, type House } from '../house/house.ts'
import { importedFiles } from '../house/imported-files.ts'
import type { SourceFile } from '../house/source-file.ts'

/** A page that follows requests through the files. */
export const waysDocument = 'docs/ways-of-a-request.md'

/** A step of a way: ``7. `packages/jwt/src/sign.ts` `signJwt`: what it does``. */
interface Step {
  readonly line: number
  readonly number: number
  readonly path: string
  readonly name: string
}

/**
 * Each step names a file that is there and declares the name, and follows from a step before it: its file is imported by
 * the file of one, or, in another package, belongs to what one imports by its public name.
 */
export function checkWays(house: House, document: string = waysDocument): string[] {
  if (!house.has(document)) return [`${document} is missing: it follows requests through the files`]
  const { ways, violations } = readWays(house.read(document), document)
  const files = new Map(house.packages.flatMap(({ sources }) => sources.map((file) => [file.path, file] as const)))
  return [
    ...violations,
    ...ways.flatMap((steps) => steps.flatMap((step) => checkStep(step, files.get(step.path), document))),
    ...ways.flatMap((steps) => checkOrder(steps, house, files, document)),
  ]
}

function readWays(markdown: string, document: string): { ways: Step[][]; violations: string[] } {
  const ways: Step[][] = []
  const violations: string[] = []
  for (const [index, text] of markdown.split('\n').entries()) {
    if (text.startsWith('## ')) ways.push([])
    const [, number] = /^(\d+)\. /.exec(text) ?? []
    const [, path, name] = /^\d+\. `([^`]+)` `([^`]+)`: \S/.exec(text) ?? []
    if (path && name) ways.at(-1)?.push({ line: index + 1, number: Number(number), path, name })
    else if (number)
      violations.push(`${document}:${index + 1}: a step is written as 1. \`file\` \`name\`: what it does`)
  }
  return { ways, violations: [...violations, ...(ways.flat().length === 0 ? [`${document}: has no steps`] : [])] }
}

function checkStep({ line, path, name }: Step, file: SourceFile | undefined, document: string): string[] {
  if (!file) return [`${document}:${line}: ${path} is no source of a public package: where is ${name} now?`]
  const declared = new RegExp(`\\b(function|const|class|interface|type) ${name}\\b|^ +(async )?${name}\\(`, 'm')
  return declared.test(file.text) ? [] : [`${document}:${line}: ${path} does not declare ${name}`]
}

function checkOrder(
  steps: readonly Step[],
  house: House,
  files: ReadonlyMap<string, SourceFile>,
  document: string,
): string[] {
  const led = new Set<string>()
  return steps.flatMap(({ line, number, path }, index) => {
    const file = files.get(path)
    const isLedTo = index === 0 || !file || led.has(path)
    for (const other of file ? reachedBy(file, house, files) : []) led.add(other)
    return [
      ...(number === index + 1 ? [] : [`${document}:${line}: is step ${index + 1}, not ${number}`]),
      ...(isLedTo ? [] : [`${document}:${line}: no step before it imports ${path}: name the file between them`]),
    ]
  })
}

/** The file itself, those of its package that it imports, and those that belong to what it imports of other packages. */
function reachedBy(file: SourceFile, house: House, files: ReadonlyMap<string, SourceFile>): readonly string[] {
  const specifiers = new Set(file.imports.map(({ specifier }) => specifier))
  const entries = house.packages.flatMap((one) =>
    entriesOf(one).filter(({ subpath }) => specifiers.has(one.name + subpath.slice(1))),
  )
  const reached = new Set<string>()
  const open = entries.map(({ source }) => source)
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const next = files.get(path)
    if (!next || reached.has(path)) continue
    reached.add(path)
    open.push(...importedFiles(next).map((other) => other.path))
  }
  return [file.path, ...importedFiles(file).map(({ path }) => path), ...reached]
}
