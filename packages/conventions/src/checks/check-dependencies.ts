import { type House, type Package, packagesIn } from '../house/house.ts'
import type { SourceFile } from '../house/source-file.ts'

/** What a package imports is declared where its users get it from, and what it declares is imported. */
export function checkDependencies(house: House): string[] {
  return house.packages.flatMap((one) =>
    checkPackage(one, Object.keys(house.manifest.devDependencies ?? {}), optionalPeersBelow(house, one)),
  )
}

/** What our packages below leave to whoever uses them: a package may bring it along. */
function optionalPeersBelow({ packages }: House, { manifest }: Package): readonly string[] {
  const below = packages.filter(({ name }) => manifest.dependencies?.[name] !== undefined)
  return below.flatMap(({ manifest: { peerDependenciesMeta = {} } }) =>
    Object.entries(peerDependenciesMeta).flatMap(([name, { optional }]) => (optional ? [name] : [])),
  )
}

function checkPackage(
  { name, folder, manifest, sources, tests }: Package,
  ofRoot: readonly string[],
  brought: readonly string[],
): string[] {
  const runtime = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const forTests = [...runtime, ...Object.keys(manifest.devDependencies ?? {}), ...ofRoot, name]
  const imported = new Set(sources.flatMap(packagesIn))
  // What may be missing is loaded by its name at run time, so that no bundler insists on it.
  const isNamedOptional = (other: string) =>
    manifest.peerDependenciesMeta?.[other]?.optional === true && sources.some(({ text }) => text.includes(`'${other}`))
  return [
    ...sources.flatMap((file) => undeclared(file, runtime, 'dependencies or peerDependencies')),
    ...tests.flatMap((file) => undeclared(file, forTests, 'devDependencies')),
    ...runtime
      .filter((other) => !imported.has(other) && !isNamedOptional(other) && !brought.includes(other))
      .map((other) => `${folder}: declares ${other} and does not import it`),
    ...checkVersions(folder, manifest.dependencies ?? {}),
    ...(manifest.dependencies?.graphql ? [`${folder}: graphql is a peer dependency: two copies break instanceof`] : []),
  ]
}

function undeclared(file: SourceFile, declared: readonly string[], where: string): string[] {
  return packagesIn(file)
    .filter((name) => !declared.includes(name))
    .map((name) => `${file.path}: ${name} is missing in ${where}`)
}

function checkVersions(folder: string, dependencies: Readonly<Record<string, string>>): string[] {
  return Object.entries(dependencies)
    .filter(([name, version]) => name.startsWith('@latchkey/') && version !== 'workspace:^')
    .map(([name]) => `${folder}: ${name} must be "workspace:^"`)
}
