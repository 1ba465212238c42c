import { type House, type Package, packagesIn } from '../house/house.ts'

/**
 * Checks that the sources of a package import its declared dependencies, in the right version. Biome
 * (`noUndeclaredDependencies`, sources) and knip (tests) check that imports are declared; knip does not check peers, or
 * which files import.
 */
export function checkDependencies(house: House): string[] {
  return house.packages.flatMap((one) => checkPackage(one, optionalPeersBelow(house, one)))
}

/** Optional peers of our packages below, which the package may bring along for them. */
function optionalPeersBelow({ packages }: House, { manifest }: Package): readonly string[] {
  const below = packages.filter(({ name }) => manifest.dependencies?.[name] !== undefined)
  return below.flatMap(({ manifest: { peerDependenciesMeta = {} } }) =>
    Object.entries(peerDependenciesMeta).flatMap(([name, { optional }]) => (optional ? [name] : [])),
  )
}

function checkPackage({ folder, manifest, sources }: Package, brought: readonly string[]): string[] {
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const imported = new Set(sources.flatMap(packagesIn))
  // What may be missing is loaded by its name at run time, so that no bundler insists on it, or is a part that is handed in,
  // of which a comment says where it comes from.
  const isNamedOptional = (other: string) =>
    manifest.peerDependenciesMeta?.[other]?.optional === true &&
    sources.some(({ text }) => text.includes(`'${other}`) || text.includes(`\`${other}\``))
  const pinned = Object.entries(manifest.dependencies ?? {}).filter(
    ([name, version]) => name.startsWith('@latchkey/') && version !== 'workspace:*',
  )
  return [
    ...declared
      .filter((other) => !imported.has(other) && !isNamedOptional(other) && !brought.includes(other))
      .map((other) => `${folder}: declares ${other} and does not import it`),
    ...pinned.map(([name]) => `${folder}: ${name} must be "workspace:*"`),
    ...(manifest.dependencies?.graphql ? [`${folder}: graphql is a peer dependency: two copies break instanceof`] : []),
  ]
}
