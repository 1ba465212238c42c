import { disable, lock, setRoles } from '../people/administrators.ts'
import { type Ability, ofNewcomers, openingByProvider, otherWays, themes } from './abilities.ts'

/** Two deeds of one account: the second happens while the first is interrupted. */
export interface Encounter {
  readonly first: Ability
  /** Null: there is none, and nothing hides what the first has left. */
  readonly second: Ability | null
  /** At which of its store calls the first is interrupted, from 0 up to, but not including, 1 for after the last. */
  readonly at: number
  /** What fails: a write or its process, or another call, once; null: nothing. */
  readonly fails: 'write' | 'other' | null
  /**
   * Two administrators meet, and there is no third. The second deed fails at this one of its reads, from 0 up to 1; null: nothing
   * fails.
   */
  readonly ofTwo?: { readonly failsAt: number | null }
}

/** Those whose meetings a world has. */
interface Meetings {
  /** What happens first, in turn. */
  readonly firsts: readonly Ability[]
  readonly secondsOf: (first: Ability) => readonly Ability[]
}

/** What only reads leaves nothing that another deed could meet. */
const leavesAnything = ({ leaves }: Ability): boolean => leaves !== 'nothing'
const isChange = ({ leaves }: Ability): boolean => leaves === 'a change'

const mayMeet = ({ who }: Ability, second: Ability): boolean =>
  second.who === who ||
  (who === undefined ? second.who === 'administrator' : who !== 'newcomer' && second.who === undefined)

/** Whatever is of the same theme, and what changes the account. */
function meetingsOf(everyTheme: readonly (readonly Ability[])[]): Meetings {
  const all = everyTheme.flat().filter(leavesAnything)
  const changes = all.filter(isChange)
  const secondsOf = (first: Ability): readonly Ability[] => {
    const own = everyTheme.find((theme) => theme.includes(first)) ?? []
    const others = isChange(first) ? all : changes
    return [...new Set([...own.filter((each) => all.includes(each)), ...others])].filter((second) =>
      mayMeet(first, second),
    )
  }
  // A change meets more than others, and so is more often the first.
  return { firsts: [...all, ...changes], secondsOf }
}

const usual = meetingsOf([...themes, ofNewcomers])

/**
 * Other ways in meet each other, mostly those of their theme, and each change of the account. Only sign-ins of one theme touch the
 * same.
 */
function meetingsOfOtherWays(): Meetings {
  const opening = [...ofNewcomers, openingByProvider]
  const ways = otherWays.flat()
  const changes = themes.flat().filter(isChange)
  const secondsOf = (first: Ability): readonly Ability[] => {
    if (opening.includes(first)) return opening
    if (!ways.includes(first)) return ways.filter((second) => mayMeet(first, second))
    const own = (otherWays.find((theme) => theme.includes(first)) ?? []).filter((second) => second !== first)
    const others = isChange(first) ? ways : [...own, ...ways.filter(isChange)]
    return [...own, ...own, ...others, ...changes].filter((second) => mayMeet(first, second))
  }
  return { firsts: [...ways, ...ways, openingByProvider, ...changes], secondsOf }
}

const unusual = meetingsOfOtherWays()

/** The number of encounters of two different deeds in a world, of the same deed twice, of failures, and of those of a change. */
const different = 3
const same = 2
const failures = 2
const failuresOfChange = 3

/**
 * Returns the encounters of the world at this place: different deeds, the same deed twice, and failures, of which the first
 * may be one of a read. All worlds together spread the interruptions of each pair evenly.
 */
export function encountersOf(place: number, hasOtherWays: boolean): readonly Encounter[] {
  const { firsts, secondsOf } = hasOtherWays ? unusual : usual
  const first = firsts[place % firsts.length] as Ability
  const seconds = secondsOf(first)
  const world = Math.floor(place / firsts.length)
  const pairs = Array.from({ length: different }, (_round, index): Encounter => {
    const turn = different * world + index
    const pair = turn % seconds.length
    const at = (pair * goldenShare + Math.floor(turn / seconds.length) * silverShare) % 1
    return { first, second: seconds[pair] as Ability, at, fails: null }
  })
  const at = (world * goldenShare) % 1
  // A second change would hide what the first has left.
  const others = seconds.filter(({ leaves }) => leaves === 'something')
  const failed = Array.from({ length: isChange(first) ? failuresOfChange : failures }, (_round, index): Encounter => {
    const turn = world + index
    const second = turn % 2 === 0 ? null : (others[turn % others.length] ?? first)
    // Of a change, most faults lie between its writes.
    const isRead = index === 0 && (!isChange(first) || world % 3 === 0)
    return { first, second, at: (at + index / failuresOfChange) % 1, fails: isRead ? 'other' : 'write' }
  })
  const twice = Array.from({ length: same }, (_round, index): Encounter => {
    return { first, second: first, at: (at + index / same) % 1, fails: null }
  })
  return [...ofTwo(first, seconds, world), ...pairs, ...twice, ...failed]
}

/** A removal of an administrator meets that of the only other one. */
function ofTwo(first: Ability, seconds: readonly Ability[], world: number): readonly Encounter[] {
  const removals = seconds.filter(({ habit }) => [setRoles, lock, disable].includes(habit))
  const second = removals[world % removals.length]
  if (!second || !removals.includes(first)) return []
  const failsAt = world % 2 === 0 ? (world * silverShare) % 1 : null
  return [{ first, second, at: (world * goldenShare) % 1, fails: null, ofTwo: { failsAt } }]
}

/** Multiples of such a number fill the whole from 0 to 1 evenly. */
const goldenShare = (Math.sqrt(5) - 1) / 2
const silverShare = Math.SQRT2 - 1
