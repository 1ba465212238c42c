import { entriesOf, type House } from './house.ts'

/** Every name that can be imported, per subpath export: values as they are, types with `type` before them. */
export function publicNames(house: House): string {
  return house.packages
    .flatMap((one) =>
      entriesOf(one).map(({ subpath, source }) => {
        const exported = one.sources.find(({ path }) => path === source)?.exports ?? []
        const names = exported.map(({ name, kind }) => (kind === 'type' ? `type ${name}` : name))
        return [`${one.name}${subpath.slice(1)}`, ...names.sort().map((name) => `  ${name}`), ''].join('\n')
      }),
    )
    .join('\n')
}
