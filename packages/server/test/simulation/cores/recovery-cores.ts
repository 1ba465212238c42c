import { totpCode } from '../people/person.ts'
import type { Core } from './core.ts'
import { attempt, type Process } from './process.ts'
import {
  allAnswered,
  answersOf,
  identityOf,
  keep,
  keptOf,
  letsIn,
  openAccount,
  sentences,
  signIn,
  winnersOf,
} from './visits.ts'

/** Two sign-ins that have asked for a second factor, and the recovery codes of the account. */
interface Asked {
  readonly challenges: readonly [string, string]
  readonly codes: readonly string[]
}

async function askTwice(process: Process): Promise<Asked> {
  const { accounts, now } = process
  await openAccount(process)
  const identity = await identityOf(process, keep(await signIn(process)))
  const started = await accounts.startTotpEnrollment({ identity, attempt })
  const code = started.ok ? totpCode(started.secret, now()) : ''
  const confirmed = await accounts.confirmTotpEnrollment({ identity, code, attempt })
  const codes = confirmed.ok ? (confirmed.codes ?? []) : []
  return { challenges: [await ask(process), await ask(process)], codes }
}

async function ask(process: Process): Promise<string> {
  const asked = await signIn(process)
  return asked.ok && asked.status === 'second-factor-required' ? asked.challenge : ''
}

const show = ({ accounts }: Process, challenge: string, code = '') =>
  accounts.verifySecondFactor({ challenge, code, delivery: 'session', attempt })

/** Two sign-ins are finished with one recovery code. */
export const recoveryCode: Core<Asked> = {
  options: { offersSecondFactors: true },
  prepare: askTwice,
  callers: {
    A: (process, { challenges, codes }) => show(process, challenges[0], codes[0]),
    B: (process, { challenges, codes }) => show(process, challenges[1], codes[0]),
  },
  async judge({ given, endings, process }) {
    const winners = winnersOf(endings)
    const kept = Object.values(answersOf(endings))
      .map(keptOf)
      .filter((credential) => credential !== null)
    const open = await Promise.all(kept.map((credential) => letsIn(process, credential)))
    const [code, other] = given.codes
    const again = await show(process, await ask(process), code)
    const next = await show(process, await ask(process), other)
    return sentences(
      [winners.length > 1, 'two callers win'],
      [allAnswered(endings) && winners.length !== 1, 'nobody wins'],
      [open.includes(false), 'the winner is not let in'],
      [winners.length > 0 && again.ok, 'it works once more'],
      [!next.ok, 'the next one does not work'],
    )
  },
}
