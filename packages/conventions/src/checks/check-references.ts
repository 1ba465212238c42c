import type { House, Package } from '../house/house.ts'

/** Checks the references of `tsc -b`: every package from the root, and from each package its dependencies. */
export function checkReferences(house: House): string[] {
  const all = [...house.packages, ...house.privatePackages].filter(
    ({ folder }) => folder.startsWith('packages/') && house.has(`${folder}/tsconfig.json`),
  )
  return [
    ...differences(
      'tsconfig.json',
      referencesOf(house, 'tsconfig.json'),
      all.map(({ folder }) => folder),
    ),
    ...all.flatMap((one) => checkPackage(house, one)),
  ]
}

function checkPackage(house: House, { folder, sources }: Package): string[] {
  const path = `${folder}/tsconfig.json`
  const imported = sources.flatMap(({ imports }) => imports.map(({ specifier }) => specifier.split('/')))
  const neighbours = imported.flatMap(([scope, name]) => (scope === '@latchkey' && name ? [`../${name}`] : []))
  return differences(path, referencesOf(house, path), neighbours)
}

function referencesOf(house: House, path: string): readonly string[] {
  if (!house.has(path)) return []
  const { references = [] }: { readonly references?: readonly { readonly path: string }[] } = JSON.parse(
    house.read(path),
  )
  return references.map((one) => one.path)
}

function differences(path: string, given: readonly string[], needed: readonly string[]): string[] {
  const missing = [...new Set(needed)].filter((one) => !given.includes(one))
  const idle = given.filter((one) => !needed.includes(one))
  return [
    ...missing.map((one) => `${path}: does not reference ${one}`),
    ...idle.map((one) => `${path}: references ${one} for nothing`),
  ]
}
