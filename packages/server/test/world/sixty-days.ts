import { arrive, comeBack, habits } from './habits.ts'
import type { Town } from './town.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Those of `people` who stay away for longer than a refresh token lives, and their first and last day of it. */
const [traveller, from, until] = ['Flo', 10, 45] as const

export interface Stay {
  /** Sixty when omitted. */
  readonly days?: number
  /** Called once a day. */
  readonly onDay?: (today: number) => Promise<unknown>
}

/**
 * Visitors of a service sign up, sign in, refresh, forget their passwords and stay away, for sixty days. Its keys change
 * every week, and at the end it is closed.
 */
export async function liveSixtyDays(town: Town, { days = 60, onDay }: Stay = {}): Promise<void> {
  const { world, diary, server, people } = town
  for (const person of people) await arrive(town, person)
  for (let today = 0; today < days; today++) {
    const midnight = world.now() + day
    for (const person of people) {
      const isAway = person.name === traveller && today >= from && today < until
      const habit = habits[world.choose(2 * habits.length)]
      if (!isAway && habit) await habit(town, person)
      if (person.name === traveller && today === until) await comeBack(town, person)
      await world.pass((1 + world.choose(100)) * minute, 15 * minute)
    }
    if (today % 7 === 6) diary.write('operator rotates', JSON.stringify(await world.settle(server.rotateKeys())))
    await onDay?.(today)
    await world.pass(Math.max(midnight - world.now(), hour), hour)
  }
  await town.close()
}
