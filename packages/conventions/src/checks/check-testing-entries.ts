import type { House, Package } from '../house/house.ts'
import { importedFiles } from '../house/imported-files.ts'

/** What is for tests stands below `./testing`, and no program gets it with anything else that it imports. */
export function checkTestingEntries(house: House): string[] {
  return house.packages.flatMap(checkPackage)
}

const isForTests = (path: string): boolean => /^packages\/[^/]+\/src\/testing(\.ts$|\/)/.test(path)

function checkPackage({ sources }: Package): string[] {
  return sources
    .filter(({ path }) => !isForTests(path))
    .flatMap((file) =>
      [
        ...importedFiles(file)
          .map(({ path }) => path)
          .filter(isForTests),
        ...file.imports.map(({ specifier }) => specifier).filter((name) => /^@latchkey\/[^/]+\/testing$/.test(name)),
      ].map((what) => `${file.path}: imports ${what}, which is for tests`),
    )
}
