import { createOneTimeCredentials } from '@latchkey/store'
import type { Core } from './core.ts'
import { attempt, email, type Process, password } from './process.ts'
import {
  allAnswered,
  answersOf,
  findPasswords,
  keep,
  letsIn,
  openAccount,
  sentences,
  signIn,
  winnersOf,
} from './visits.ts'

const credentialsOf = ({ stores, now }: Process) =>
  createOneTimeCredentials({ records: stores.records, kind: 'once', ttlSeconds: 600, now })
const consume = (process: Process, credential: string) => credentialsOf(process).consume(credential)

/** Three callers consume one credential. */
export const oneTimeCredential: Core<string> = {
  prepare: async (process) => (await credentialsOf(process).create({ owner: null, value: 'value' })).credential,
  callers: { A: consume, B: consume, C: consume },
  async judge({ given, endings, process }) {
    const winners = Object.values(answersOf(endings)).filter((answer) => answer !== null)
    const later = await consume(process, given)
    return sentences(
      [winners.length > 1, 'two callers win'],
      [allAnswered(endings) && winners.length !== 1, 'nobody wins'],
      [winners.length > 0 && later !== null, 'it works once more'],
      [(await consume(process, given)) !== null, 'it works for ever'],
    )
  },
}

const newPasswords = { A: 'seven kettles hum along', B: 'nine ladders lean on walls', C: 'four rivers bend at noon' }
const reset =
  (newPassword: string) =>
  (process: Process, { token }: Reset) =>
    process.accounts.resetPassword({ token, newPassword, attempt })

interface Reset {
  readonly token: string
  /** The credential of a session that was open before. */
  readonly session: string
}

async function mailReset(process: Process): Promise<Reset> {
  await openAccount(process)
  const session = keep(await signIn(process))
  await process.accounts.requestPasswordReset({ email, attempt })
  return { token: await tokenOf(process), session }
}

async function tokenOf({ accounts, outbox }: Process): Promise<string> {
  await accounts.settled()
  return new URL(outbox.at(-1)?.url ?? '').searchParams.get('token') ?? ''
}

/** Three callers set a password by one link, each another one. */
export const resetLink: Core<Reset> = {
  prepare: mailReset,
  callers: { A: reset(newPasswords.A), B: reset(newPasswords.B), C: reset(newPasswords.C) },
  judge: judgeReset,
}

/** The same, by two callers. */
export const resetLinkOfTwo: Core<Reset> = {
  ...resetLink,
  callers: { A: reset(newPasswords.A), B: reset(newPasswords.B) },
}

async function judgeReset({ given, endings, process }: Parameters<Core<Reset>['judge']>[0]) {
  const winners = winnersOf(endings) as readonly (keyof typeof newPasswords)[]
  const working = await findPasswords(process, [password, ...Object.values(newPasswords)])
  const isSet = !working.includes(password)
  const last = 'two otters swim upstream'
  const again = await process.accounts.resetPassword({ token: given.token, newPassword: last, attempt })
  return sentences(
    [winners.length > 1, 'two callers win'],
    [allAnswered(endings) && winners.length !== 1, 'nobody wins'],
    [working.length !== 1, `${working.length} passwords sign in`],
    [winners.some((name) => !working.includes(newPasswords[name])), 'the password of the winner does not sign in'],
    [isSet && (await letsIn(process, given.session)), 'a session from before is open'],
    [isSet === again.ok, isSet ? 'the link works once more' : 'the link works no more, and set no password'],
    [(await findPasswords(process, again.ok ? [last] : working)).length === 0, 'the owner is locked out'],
  )
}

const verify = (process: Process, token: string) => process.accounts.verifyEmail({ token, password, attempt })

/** Three callers verify an address by one link. */
export const verificationLink: Core<string> = {
  async prepare(process) {
    await process.accounts.signUp({ email, password, name: 'Ada', attempt })
    return tokenOf(process)
  },
  callers: { A: verify, B: verify, C: verify },
  judge: judgeVerification,
}

/** Two callers verify an address by one link, without the password of the sign-up. */
export const verificationLinkWithoutPassword: Core<string> = {
  ...verificationLink,
  callers: Object.fromEntries(
    ['A', 'B'].map((name) => [name, ({ accounts }, token) => accounts.verifyEmail({ token, attempt })]),
  ) as Core<string>['callers'],
}

async function judgeVerification({ given, endings, process }: Parameters<Core<string>['judge']>[0]) {
  const winners = winnersOf(endings)
  const before = await process.accounts.findByEmail(email)
  const later = await verify(process, given)
  const created = (await process.accounts.list()).items.length
  await process.accounts.requestPasswordReset({ email, attempt })
  const token = await tokenOf(process)
  const mailed = await process.accounts.resetPassword({ token, newPassword: newPasswords.A, attempt })
  return sentences(
    [winners.length > 1, 'two callers win'],
    [allAnswered(endings) && winners.length !== 1, 'nobody wins'],
    [created !== 1, `${created} accounts are created`],
    [winners.length === 1 && before?.status !== 'active', 'the account of the winner is not open'],
    [(before !== null) === later.ok, later.ok ? 'the link works once more' : 'the link created nothing'],
    [!mailed.ok || (await findPasswords(process, [newPasswords.A])).length === 0, 'the owner is locked out'],
  )
}

interface MailedCode {
  readonly challenge: string
  readonly code: string
}

async function mailCode({ accounts, outbox }: Process): Promise<MailedCode> {
  const { challenge } = await accounts.requestSignInCode({ email, attempt })
  await accounts.settled()
  const mail = outbox.at(-1)
  return { challenge, code: mail?.kind === 'sign-in-code' ? mail.data.code : '' }
}

const showCode = ({ accounts }: Process, shown: MailedCode) =>
  accounts.signInWithCode({ ...shown, email, delivery: 'session', attempt })

/** Three callers sign in with one mailed code. */
export const mailedCode: Core<MailedCode> = {
  options: { offersMailedCodes: true },
  prepare: async (process) => {
    await openAccount(process)
    return mailCode(process)
  },
  callers: { A: showCode, B: showCode, C: showCode },
  async judge({ given, endings, process }) {
    const winners = winnersOf(endings)
    const later = await showCode(process, given)
    const [winner = ''] = winners
    return sentences(
      [winners.length > 1, 'two callers win'],
      [allAnswered(endings) && winners.length !== 1, 'nobody wins'],
      [winners.length > 0 && later.ok, 'it works once more'],
      [winners.length > 0 && !(await letsIn(process, keep(endings[winner]?.answer))), 'the winner is not let in'],
      [(await showCode(process, given)).ok, 'it works for ever'],
      [!(await showCode(process, await mailCode(process))).ok, 'the owner is locked out'],
    )
  },
}
