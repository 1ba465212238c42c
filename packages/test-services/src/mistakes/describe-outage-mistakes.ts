import { beforeAll, describe, expect, test } from 'vitest'
import { collectTests, failuresOf, type KitRunner } from '../kit-tests.ts'
import { createGatedStore, type GatedStore, type OutageMistake, outageMistakes } from './gated-store.ts'

/** A kit whose tests of outages are proven. */
export interface OutageMistakesOptions<Store extends object> {
  /** The stores that the kit tests, in the plural: `factor stores`. */
  readonly name: string
  readonly describeKit: (kit: KitRunner & GatedStore<Store>) => void
  /** Creates a sound store on a separate backend. */
  readonly createStore: () => Store
  /** The methods that change no data. */
  readonly reads: readonly string[]
  readonly changes: readonly string[]
}

interface Mistake {
  readonly title: string
  readonly mistake: OutageMistake
  /** The only method that makes it; `null`: all of them do. */
  readonly method: string | null
  readonly fails: string
}

/**
 * Describes what the kit of a store owes while a backend fails: it passes for a sound store, and finds every mistake,
 * of all methods at once and of each alone.
 */
export function describeOutageMistakes<Store extends object>(options: OutageMistakesOptions<Store>): void {
  const { name, describeKit, createStore } = options
  const mistakes = mistakesOf(options)
  const found = new Map<string, { readonly failed: readonly string[]; readonly of: number }>()

  async function run({ title, mistake, method, fails }: Mistake): Promise<void> {
    const gated = createGatedStore(createStore(), mistake, method)
    const tests = collectTests((runner) => describeKit({ ...runner, ...gated })).filter(
      (one) => one.group === 'outages' && (method === null || one.title === fails),
    )
    found.set(title, { failed: [...(await failuresOf(tests)).keys()], of: tests.length })
  }

  describe(`the kit for ${name}, on a backend that fails,`, () => {
    describe('passes for a sound store', () => {
      describeKit({ describe, test, ...createGatedStore(createStore()) })
    })

    describe('finds', () => {
      // All at once: what takes its time in them are deadlines.
      beforeAll(async () => {
        await Promise.all(mistakes.map(run))
      })

      test.each(mistakes)('$title', ({ title, method, fails }) => {
        const { failed, of } = found.get(title) ?? { failed: [], of: 0 }
        expect(failed).toContain(fails)
        if (method === null) expect(failed.length).toBeLessThan(of)
      })
    })
  })
}

function mistakesOf({ reads, changes }: Pick<OutageMistakesOptions<object>, 'reads' | 'changes'>): readonly Mistake[] {
  const known = outageMistakes.filter(([mistake]) => mistake !== 'is executed later' || changes.length > 0)
  return known.flatMap(([mistake, fails]) => [
    { title: `a store that ${mistake}`, mistake, method: null, fails },
    ...methodsOf(mistake).map((method) => {
      return { title: `a store of which "${method}" alone ${mistake}`, mistake, method, fails }
    }),
  ])

  /** Every method is called while the backend cannot be reached, and every change while it is frozen. */
  function methodsOf(mistake: OutageMistake): readonly string[] {
    if (mistake === 'is executed later') return changes
    return mistake === 'answers null' ? [...reads, ...changes] : []
  }
}
