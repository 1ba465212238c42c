import type { House, Package } from '../house/house.ts'
import { environmentReaders } from '../house/layers.ts'
import type { SourceFile } from '../house/source-file.ts'

const drawers = /(^|\/)(utils?|helpers?|common|shared|lib|misc|types)(\.ts|\/)/
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Checks rules about the files of a package that `biome.jsonc` cannot express: descriptive folder names, and entries
 * that only list names.
 */
export function checkSources(
  house: House,
  readers: readonly { readonly place: string }[] = environmentReaders,
): string[] {
  return house.packages.flatMap((one) => [
    ...[...one.sources, ...one.tests].flatMap(checkFolders),
    ...one.sources.flatMap(checkForeignNames),
    ...checkIndex(one),
    ...one.sources
      .filter(({ path, declaresEnvironment }) => declaresEnvironment && !readers.some(({ place }) => place === path))
      .map(
        ({ path }) => `${path}: declares process with env: a library takes options and does not read the environment`,
      ),
  ])
}

function checkFolders({ path }: SourceFile): string[] {
  const folders = path.split('/').slice(2, -1)
  return [
    ...(folders.every((folder) => kebabCase.test(folder)) ? [] : [`${path}: folder names are kebab-case`]),
    ...(drawers.test(path) ? [`${path}: is a drawer: name it after what it does`] : []),
  ]
}

function checkForeignNames({ path, exports }: SourceFile): string[] {
  return exports.flatMap(({ name, from }) =>
    from !== null && !from.startsWith('.')
      ? [`${path}: exports ${name} of ${from}: its users import it from there`]
      : [],
  )
}

/** Checks that the index only lists public names. */
function checkIndex({ folder, sources }: Package): string[] {
  const index = sources.find(({ path }) => path === `${folder}/src/index.ts`)
  return index?.hasOwnStatements ? [`${index.path}: must hold nothing but names exported from other files`] : []
}
