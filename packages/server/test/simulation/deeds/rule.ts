import type { Deed } from './deed.ts'
import type { Knowledge } from './knowledge.ts'

/** Returns what is wrong with the deed, which has just ended; null: nothing. */
export type Rule = (deed: Deed, deeds: readonly Deed[], known: Knowledge) => string | null
