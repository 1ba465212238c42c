import { describe, expect, test } from 'vitest'
import { type Between, openProvider, type ProviderUnderTest } from './provider-under-test.ts'

/** Says of each condition whether it holds: the first that does not ends the module. */
export type Holds = (condition: string, isTrue: boolean) => void

/** A module of a plan of the OpenID conformance suite, by its name there. */
export interface ConformanceModule {
  readonly name: string
  /** Every condition that it judges, in the words of its tests. */
  readonly conditions: readonly string[]
  run(provider: ProviderUnderTest, holds: Holds): Promise<void>
  /** A provider with this mistake is refused, by the condition that is named. */
  readonly violation: { readonly what: string; readonly between: Between; readonly breaks: string }
}

class ConditionFailure extends Error {}

async function judge(module: ConformanceModule, between?: Between) {
  const judged: string[] = []
  const holds: Holds = (condition, isTrue) => {
    judged.push(condition)
    if (!isTrue) throw new ConditionFailure(condition)
  }
  const failed = await module.run(await openProvider(between), holds).then(
    () => null,
    (error: unknown) => {
      if (error instanceof ConditionFailure) return error.message
      throw error
    },
  )
  return { failed, judged: [...new Set(judged)] }
}

/** Two tests for each module: the provider passes it, and one with a mistake does not. */
export function describePlan(plan: string, modules: readonly ConformanceModule[]): void {
  describe(plan, () => {
    // A module may stand here with several mistakes.
    const byName = new Map(modules.map((module) => [module.name, module]))
    test.each([...byName])('%s', async (_name, module) => {
      const { failed, judged } = await judge(module)
      expect(failed).toBeNull()
      expect(judged.sort()).toEqual([...module.conditions].sort())
    })

    test.each(modules.map((module) => [module.name, module.violation.what, module] as const))(
      '%s refuses a provider that %s',
      async (_name, _what, module) => {
        const { failed } = await judge(module, module.violation.between)
        expect(failed).toBe(module.violation.breaks)
      },
    )
  })
}
