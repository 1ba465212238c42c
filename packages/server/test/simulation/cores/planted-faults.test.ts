import { expect, test } from 'vitest'
import { type Core, type CoreRun, exploreCore } from './core.ts'
import { lastPasskey, lastWayOfTwo } from './last-way-cores.ts'
import { authorizationCodeOfTwo } from './oauth-cores.ts'
import { mailedCode, oneTimeCredential, resetLinkOfTwo, verificationLink } from './one-time-cores.ts'
import * as faults from './planted-faults.ts'
import { recoveryCode } from './recovery-cores.ts'
import { repeatedWithinGrace, repeatedWithoutGrace, reusedAfterGrace } from './refresh-cores.ts'
import { replacedTwice, replacedWhileOthersRevoked, replacedWhileRevoked } from './session-cores.ts'
import { changedMeanwhile, changedTwice, disabledMeanwhile } from './sign-in-cores.ts'

interface Row {
  readonly where: string
  readonly fault: string
  readonly within: number
  readonly says: string
  readonly explore: () => ReturnType<typeof exploreCore>
}

function row<Given>(
  core: Core<Given>,
  plant: faults.PlantedFault,
  { run, ...rest }: Omit<Row, 'explore'> & { readonly run?: CoreRun },
): Row {
  return { ...rest, explore: () => exploreCore(core, { ...run, plant, stopsAtFirst: true }) }
}

const swapInTwo = 'a swap of records in two calls'
const removalForAll = 'a removal of records that succeeds for all'
const removalOfNothing = 'a removal of records that removes nothing'
const withoutSwap = 'a change of accounts that compares nothing'
const withoutEpoch = 'a change of accounts that leaves the epoch'

const rows: readonly Row[] = [
  row(repeatedWithinGrace, faults.recordsWithoutSwap, {
    ...{ fault: swapInTwo, where: 'a refresh token within the grace', within: 20 },
    says: 'a token has two successors',
  }),
  row(repeatedWithoutGrace, faults.recordsWithoutSwap, {
    ...{ fault: swapInTwo, where: 'a refresh token without a grace', within: 40 },
    says: 'a token has two winners',
  }),
  row(reusedAfterGrace, faults.lostRemovals, {
    ...{ fault: removalOfNothing, where: 'a reused refresh token', within: 1 },
    says: 'a thief was refused, and the family goes on',
  }),
  row(oneTimeCredential, faults.removalsForAll, {
    ...{ fault: removalForAll, where: 'a one-time credential', within: 5 },
    says: 'two callers win',
  }),
  row(oneTimeCredential, faults.lostRemovals, {
    ...{ fault: removalOfNothing, where: 'a one-time credential', within: 1 },
    says: 'it works once more',
  }),
  row(mailedCode, faults.removalsForAll, {
    ...{ fault: removalForAll, where: 'a mailed code', within: 30 },
    says: 'two callers win',
  }),
  row(authorizationCodeOfTwo, faults.recordsWithoutSwap, {
    ...{ fault: swapInTwo, where: 'an authorization code', within: 15 },
    says: 'two callers win',
  }),
  row(recoveryCode, faults.documentsWithoutSwap, {
    ...{ fault: 'a swap of documents in two calls', where: 'a recovery code', within: 40 },
    says: 'two callers win',
  }),
  row(verificationLink, faults.insertsForAll, {
    ...{ fault: 'an insert of accounts that succeeds for all', where: 'the link of a sign-up', within: 20 },
    says: 'two callers win',
  }),
  row(resetLinkOfTwo, faults.accountsWithoutSwap, {
    ...{ fault: withoutSwap, where: 'the link of a reset', within: 200, run: { branchesFor: 10 } },
    says: 'two callers win',
  }),
  row(changedTwice, faults.accountsWithoutSwap, {
    ...{ fault: withoutSwap, where: 'two changes of a password', within: 15 },
    says: 'two changes win',
  }),
  row(changedMeanwhile, faults.lostEpochs, {
    ...{ fault: withoutEpoch, where: 'a sign-in during a change of the password', within: 2 },
    says: 'who has changed it is signed out',
  }),
  row(disabledMeanwhile, faults.lostChanges, {
    ...{ fault: 'a change of accounts that is lost', where: 'a sign-in during a disabling', within: 1 },
    says: 'closed, and signs in',
  }),
  row(replacedTwice, faults.removalsForAll, {
    ...{ fault: removalForAll, where: 'two replacements of a session', within: 30 },
    says: 'a session was replaced twice',
  }),
  row(replacedWhileRevoked, faults.together(faults.lostEpochs, faults.removalsForAll), {
    ...{ fault: `${withoutEpoch}, and ${removalForAll}`, where: 'a replacement during a revocation', within: 80 },
    says: 'revoked, and open: step-up',
  }),
  row(replacedWhileOthersRevoked, faults.together(faults.lostEpochs, faults.lostRemovals), {
    ...{ fault: `${withoutEpoch}, and ${removalOfNothing}`, where: 'a revocation of other sessions', within: 1 },
    says: 'revoked, and open: other,refresh',
  }),
  row(lastWayOfTwo, faults.documentsWithoutVersions, {
    ...{
      fault: 'a removal of documents at any version',
      where: 'the last way in',
      within: 5,
      run: { branchesFor: 12 },
    },
    says: 'no way is left',
  }),
  row(lastPasskey, faults.documentsWithoutVersions, {
    ...{
      fault: 'a removal of documents at any version',
      where: 'the last passkey',
      within: 20,
      run: { branchesFor: 24 },
    },
    says: 'no passkey is left',
  }),
]

const named = rows.map((each) => [each.fault, each.within, each.where, each] as const)

test.each(named)('%s is found within %i last states of %s', async (_fault, within, _where, { explore, says }) => {
  const { found, judged } = await explore()
  expect([...found.keys()]).toContain(says)
  expect(judged).toBeLessThanOrEqual(within)
})
