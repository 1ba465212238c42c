import type { Deed, Facts } from '../deeds/deed.ts'
import { readKnowledge } from '../deeds/knowledge.ts'
import type { Rule } from '../deeds/rule.ts'
import { addressesAreUnique } from './rules/addresses.ts'
import { oneRemains, othersMayGo } from './rules/administrators.ts'
import { answeredInTime } from './rules/answers.ts'
import { codeOnce, codesEnd, freshCodeIsRedeemed } from './rules/codes.ts'
import { onceEnded, ownersOnly, revokedIsRefused, rolesAreCurrent, validIsAccepted } from './rules/credentials.ts'
import {
  challengesEnd,
  factorsAreShown,
  onceOnly,
  onlyTheFactorOpens,
  secondFactorFirst,
  stepsRise,
  theFactorOpens,
} from './rules/factors.ts'
import { cancelledChangesEnd, linksAreOvertaken, linksWork, oneAccount, pagesEnd } from './rules/links.ts'
import { theKeysAreListed, theListIsWhole } from './rules/lists.ts'
import {
  aWayRemains,
  mailedCodesEnd,
  mailedCodesOpen,
  onlyTheLinkedUserOpens,
  theLinkedUserOpens,
  theUserIsFree,
} from './rules/other-ways.ts'
import { ceremoniesEnd, onlyThePasskeyOpens, thePasskeyIsThere, thePasskeyOpens } from './rules/passkeys.ts'
import {
  fewAreNotLimited,
  guessesAreLimited,
  onlyThePasswordOpens,
  thePasswordOpens,
  theProofCounts,
} from './rules/passwords.ts'
import { refreshOnce, repeatsWork } from './rules/refreshes.ts'
import { theAskedFactorIsShown } from './rules/shown-factors.ts'

/** Judges the deed by those before it. */
export function judge(deed: Deed, deeds: readonly Deed[], initial: ReadonlyMap<string, Facts>): string | null {
  const known = readKnowledge(deeds, initial)
  for (const rule of rules) {
    const finding = rule(deed, deeds, known)
    if (finding !== null) return finding
  }
  return null
}

const rules: readonly Rule[] = [
  revokedIsRefused,
  validIsAccepted,
  rolesAreCurrent,
  ownersOnly,
  onceEnded,
  onlyThePasswordOpens,
  thePasswordOpens,
  theProofCounts,
  guessesAreLimited,
  fewAreNotLimited,
  secondFactorFirst,
  onlyTheFactorOpens,
  stepsRise,
  challengesEnd,
  theFactorOpens,
  factorsAreShown,
  theAskedFactorIsShown,
  onceOnly,
  linksAreOvertaken,
  cancelledChangesEnd,
  linksWork,
  oneAccount,
  refreshOnce,
  repeatsWork,
  theListIsWhole,
  theKeysAreListed,
  pagesEnd,
  addressesAreUnique,
  codeOnce,
  codesEnd,
  freshCodeIsRedeemed,
  oneRemains,
  othersMayGo,
  onlyTheLinkedUserOpens,
  theLinkedUserOpens,
  theUserIsFree,
  aWayRemains,
  mailedCodesEnd,
  mailedCodesOpen,
  onlyThePasskeyOpens,
  thePasskeyOpens,
  ceremoniesEnd,
  thePasskeyIsThere,
  answeredInTime,
]
