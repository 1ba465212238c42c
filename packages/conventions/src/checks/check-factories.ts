import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { entriesOf, type House } from '../house/house.ts'

/** Values other than an options object, which plain JavaScript might pass. */
const nothings = [undefined, null, 42, 'options'] as const

const isFactory = /^(create|open|define|compile)[A-Z]/
const isOfTheEngine = /^Cannot |^undefined |is not (a function|iterable|defined)|\(reading '/

/**
 * Calls every public factory with values other than an options object. It must succeed, or throw a `TypeError` that
 * names the factory or an option in quotes, instead of a property that could not be destructured.
 */
export async function checkFactories(house: House): Promise<string[]> {
  const entries = house.packages.flatMap((one) =>
    entriesOf(one)
      .filter(({ subpath }) => !/^\.\/internal(\/|$)/.test(subpath))
      .map((entry) => ({ ...entry, one })),
  )
  const found: string[] = []
  for (const { one, subpath, source } of entries) {
    const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(house.root, source)).href)
    for (const [name, factory] of Object.entries(exported)) {
      if (typeof factory === 'function' && isFactory.test(name)) {
        const problems = await Promise.all(nothings.map((nothing) => problemOf(name, factory, nothing)))
        found.push(...problems.filter(Boolean).map((problem) => `${one.name}${subpath.slice(1)}: ${problem}`))
      }
    }
  }
  return found
}

// biome-ignore lint/complexity/noBannedTypes: whatever a package exports
async function problemOf(name: string, factory: Function, nothing: unknown): Promise<string | null> {
  try {
    await Reflect.apply(factory, undefined, [nothing])
    return null
  } catch (error) {
    const { message } = error as Error
    const isNamed = message.includes(name) || /"[\w. ]+"/.test(message)
    if (error instanceof TypeError && isNamed && !isOfTheEngine.test(message)) return null
    return `${name}(${JSON.stringify(nothing)}) throws ${String(error)}`
  }
}
