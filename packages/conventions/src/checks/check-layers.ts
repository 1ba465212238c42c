import { posix } from 'node:path'
import { type House, type Package, packagesIn } from '../house/house.ts'
import { type Layer, layers } from '../house/layers.ts'
import type { SourceFile } from '../house/source-file.ts'

const scope = '@latchkey/'

/**
 * Checks that every import of a package is in its line of the plan: downwards only, and no dependency without a
 * decision.
 */
export function checkLayers(house: House, plan: Readonly<Record<string, Layer>> = layers): string[] {
  return [
    ...upwardLines(plan),
    ...house.packages.flatMap((one) => checkPackage(one, plan)),
    ...house.privatePackages.flatMap(({ sources, tests }) => [...sources, ...tests].flatMap(checkWays)),
  ]
}

function upwardLines(plan: Readonly<Record<string, Layer>>): string[] {
  const above = new Set<string>()
  return Object.entries(plan)
    .reverse()
    .flatMap(([name, { on }]) => {
      above.add(name)
      return on
        .filter((other) => above.has(other) || !plan[other])
        .map((other) => `the plan lets ${name} stand on ${other}`)
    })
}

function checkPackage(one: Package, plan: Readonly<Record<string, Layer>>): string[] {
  const layer = plan[shortName(one.name)]
  if (!layer) return [`${one.folder}: has no line in the plan of the house`]
  return [
    ...one.sources.flatMap((file) => checkSource(file, one, layer)),
    ...one.tests.flatMap((file) => checkTest(file, one, layer, plan)),
    ...[...one.sources, ...one.tests].flatMap(checkWays),
    ...one.tests.flatMap(checkTestWays),
  ]
}

function checkSource(file: SourceFile, one: Package, { on, external }: Layer): string[] {
  return packagesIn(file).flatMap((name) => {
    if (name === one.name) return [`${file.path}: imports its own package by name`]
    const allowed = name.startsWith(scope) ? on.includes(shortName(name)) : external.includes(name)
    return allowed ? [] : [`${file.path}: ${one.name} may not import ${name}`]
  })
}

/** The package that starts servers for tests; it has no level. */
const testServices = `${scope}test-services`

/** A test may use siblings, but no package above: a package is proven without its dependents. */
function checkTest(file: SourceFile, one: Package, { level }: Layer, plan: Readonly<Record<string, Layer>>): string[] {
  return packagesIn(file).flatMap((name) => {
    if (!name.startsWith(scope) || name === one.name || name === testServices) return []
    const other = plan[shortName(name)]
    return other && other.level <= level ? [] : [`${file.path}: a test of ${one.name} may not import ${name}`]
  })
}

/** Checks that packages are imported by their public names, never by a path into another folder. */
function checkWays(file: SourceFile): string[] {
  const [top, folder] = file.path.split('/')
  const reaching = file.imports.filter(({ specifier }) => /^@latchkey\/[^/]+\/(src|dist)\//.test(specifier))
  const leaving = modulesOf(file).filter(({ target }) => !target.startsWith(`${top}/${folder}/`))
  return [...reaching, ...leaving].map(({ specifier }) => `${file.path}: goes around a public name: ${specifier}`)
}

/** A test sees what the users of the package see. */
function checkTestWays(file: SourceFile): string[] {
  const inside = modulesOf(file).filter(({ target }) => /^packages\/[^/]+\/src\//.test(target))
  return inside.map(({ specifier }) => `${file.path}: goes around a public name: ${specifier}`)
}

/** The relative imports of a file, each with the path that it leads to. */
function modulesOf({ path, imports }: SourceFile): { readonly specifier: string; readonly target: string }[] {
  return imports
    .filter(({ specifier }) => /^\.{1,2}\/.*\.(ts|js)$/.test(specifier))
    .map(({ specifier }) => ({ specifier, target: posix.join(posix.dirname(path), specifier) }))
}

function shortName(name: string): string {
  return name.replace(scope, '')
}
