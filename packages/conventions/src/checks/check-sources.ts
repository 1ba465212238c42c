import { entriesOf, type House, type Package } from '../house/house.ts'
import { type Exception, exceptions } from '../house/layers.ts'
import { portableSources } from '../house/portable-sources.ts'
import type { SourceFile } from '../house/source-file.ts'

const longestFile = 350
const drawers = /(^|\/)(utils?|helpers?|common|shared|lib|misc|types)(\.ts|\/)/
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** How a source file of a package looks: one duty, a name that says it, named exports, nothing hidden. */
export function checkSources(house: House, allowed: readonly Exception[] = exceptions): string[] {
  return house.packages.flatMap((one) => [
    ...[...one.sources, ...one.tests].flatMap(checkName),
    ...one.sources.flatMap((file) => [...checkLength(file), ...checkTypes(file), ...checkExports(file)]),
    ...checkIndex(one),
    ...checkBarrels(one),
    ...checkSurroundings(one, allowed),
  ])
}

function checkName({ path }: SourceFile): string[] {
  const [, , ...parts] = path.split('/')
  const plain = parts.map((part) => part.replace(/((\.services)?\.test|\.test-d|\.bench)?\.ts$/, ''))
  return [
    ...(plain.every((part) => kebabCase.test(part)) ? [] : [`${path}: file names are kebab-case`]),
    ...(drawers.test(path) ? [`${path}: is a drawer; name it after what it does`] : []),
  ]
}

function checkLength({ path, text }: SourceFile): string[] {
  const lines = text.split('\n').length - 1
  return lines > longestFile ? [`${path}: has ${lines} lines, more than ${longestFile}`] : []
}

function checkTypes({ path, uses }: SourceFile): string[] {
  return uses.filter(({ what }) => what === 'any').map(({ line }) => `${path}:${line}: gives a type up with any`)
}

function checkExports({ path, exports }: SourceFile): string[] {
  return exports.flatMap(({ name, from }) => {
    if (name === 'default') return [`${path}: has a default export`]
    if (from !== null && !from.startsWith('.')) return [`${path}: exports ${name} of ${from} again`]
    return name === '*' ? [`${path}: exports everything of ${from} instead of names`] : []
  })
}

/** The index is the list of public names, and nothing else. */
function checkIndex({ folder, sources }: Package): string[] {
  const index = sources.find(({ path }) => path === `${folder}/src/index.ts`)
  return index?.hasOwnStatements ? [`${index.path}: must hold nothing but names exported from other files`] : []
}

/** A file that only passes on what others export is an entry of the package; elsewhere it hides where a thing stands. */
function checkBarrels(one: Package): string[] {
  const entries = new Set(entriesOf(one).map(({ source }) => source))
  return one.sources
    .filter(({ path, exports, hasOwnStatements }) => exports.length > 0 && !hasOwnStatements && !entries.has(path))
    .map(({ path }) => `${path}: only passes on what other files export`)
}

/** A library takes options and answers values: only what is a program reads the environment and prints. */
function checkSurroundings(one: Package, allowed: readonly Exception[]): string[] {
  return portableSources(one).flatMap(({ path, uses }) =>
    uses
      .filter(({ what }) => what !== 'any' && !allowed.some((other) => other.what === what && other.place === path))
      .map(({ what, line }) => `${path}:${line}: a library does not use ${what}`),
  )
}
