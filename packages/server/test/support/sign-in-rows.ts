import type { SignInState, SignInTransition } from '@latchkey/accounts/internal'
import { type BenchOptions, disableApp, failuresOf } from './bench.ts'
import type { Kind, Scene, SceneOptions } from './sign-in-scene.ts'

/** What is true of the service and of the account. */
export interface Setting {
  /** Of the service, where its own are not enough. */
  readonly options?: BenchOptions['options']
  readonly scene?: (row: Pick<SignInTransition, 'on'>) => SceneOptions
}

/** How a row of the table is brought about: what is true beforehand, and what of the moment at which it is shown. */
export interface Bringing extends Setting {
  /** Makes the condition true, once it is known who asks and for what. */
  readonly fulfil?: (scene: Scene, row: SignInTransition) => Promise<void> | void
  /** Who is signed in is so no longer once this is true: only in the middle of a request is there such a row. */
  readonly endsSession?: true
  /** Although the sign-in is refused, the factor itself was accepted: here, or for another request. */
  readonly spends?: (row: SignInTransition) => boolean
}

const everyKind: readonly Kind[] = ['totp', 'recovery-code', 'passkey']
const kindOf = ({ on }: Pick<SignInTransition, 'on'>): Kind => on as Kind

/** How long an account without a second factor does without one. Bearer tokens live longer. */
export const graceSeconds = 600
const requiring: Setting = {
  options: { signIn: { secondFactor: { required: 'all', graceSeconds } } },
  scene: () => ({ kinds: [] }),
}

/** Without these, a state cannot be reached. */
const settings: { readonly [State in SignInState]?: Setting } = { restricted: requiring }

export const settingOf = (state: SignInState): Setting => settings[state] ?? {}

function having(status: 'unverified' | 'disabled' | 'locked'): Bringing {
  return {
    async fulfil({ site, account }) {
      await site.stores.accounts.replace(account.id, {}, { status })
    },
    endsSession: true,
    spends: isFoundByPasskey,
  }
}

/** A passkey says whose it is, so that it is judged before the account. */
function isFoundByPasskey({ from, on }: SignInTransition): boolean {
  return from === 'anonymous' && on === 'passkey'
}

/** By the condition of a row, or for one row alone by all three of its words. */
const bringings: Readonly<Record<string, Bringing>> = {
  'right-password': {},
  'right-factor': {},
  'second-factor-required': {},
  'device-remembered': { options: { signIn: { trustedDevices: { days: 30 } } }, fulfil: trustDevice },
  'enrollment-overdue': { ...requiring, fulfil: ({ site }) => site.advance(graceSeconds) },
  'signed-in at enrollment, nothing-more': { ...requiring, fulfil: ({ site }) => site.advance(graceSeconds - 1) },
  'nothing-more': { scene: () => ({ kinds: [] }) },
  'factor-before-password': {
    async fulfil({ site, account }) {
      await site.stores.accounts.replace(account.id, {}, { passwordHash: null })
    },
  },
  'unknown-account': {
    async fulfil({ site, account }) {
      await site.stores.accounts.remove(account.id)
    },
    endsSession: true,
    spends: isFoundByPasskey,
  },
  'no-password': {
    async fulfil({ site, account }) {
      await site.stores.accounts.replace(account.id, {}, { passwordHash: null })
    },
  },
  'wrong-password': {
    fulfil({ shows }) {
      shows.password = 'not the password at all'
    },
  },
  'password-disabled': {
    async fulfil({ site, account }) {
      for (let failed = 0; failed < 100; failed++) await failuresOf(site.stores, 'password').add(account.id)
    },
  },
  unverified: having('unverified'),
  disabled: having('disabled'),
  locked: having('locked'),
  'challenge-ended': { fulfil: ({ site }) => site.advance(300) },
  'other-session': {
    async fulfil({ shows, ...scene }) {
      shows.visitor = scene.site.visitor()
      await signInFully({ shows, ...scene }, shows.visitor)
    },
  },
  'kind-refused': { scene: (row) => ({ kinds: everyKind.filter((kind) => kind !== kindOf(row)) }) },
  'account-changed': {
    async fulfil({ site, account }) {
      await site.stores.accounts.replace(account.id, {}, { epoch: account.epoch + 1 })
    },
    endsSession: true,
  },
  'factor-wrong': {
    fulfil({ shows }, { on }) {
      shows.isForged = true
      shows.code = on === 'totp' ? nextTo(shows.code) : '0000-0000-0000-0000'
    },
  },
  'anonymous at email-code, challenge-ended': { fulfil: ({ site }) => site.advance(600) },
  'anonymous at email-code, factor-wrong': {
    fulfil({ shows }) {
      if (shows.mailed) shows.mailed = { ...shows.mailed, code: '0000' }
    },
  },
  'anonymous at email-code, factor-overtaken': {
    fulfil({ site, mailedKey }) {
      site.before('records.remove', 1, async () => {
        await site.stores.records.remove(mailedKey())
      })
    },
  },
  'factor-used': { fulfil: acceptElsewhere },
  'factor-overtaken': {
    fulfil(scene, row) {
      scene.site.before('documents.replace', 1, () => acceptElsewhere(scene, row))
    },
    spends: () => true,
  },
  'factor-disabled': {
    async fulfil({ site, account }, { on }) {
      if (on === 'totp') await disableApp(site.stores, account.id)
      // No number of wrong ones disables recovery codes.
      if (on === 'recovery-code') site.says = { ok: false, reason: 'disabled' }
    },
  },
  'factor-not-enrolled': {
    async fulfil({ site, account }, { on }) {
      await site.stores.documents?.removeByOwner(account.id, { collections: [`factor-${on}`] })
    },
  },
  'same-category': {
    fulfil({ site }) {
      site.says = 'proves-the-same'
    },
    spends: () => true,
  },
}

/** @throws Error that names the row, where nothing says how it is brought about. */
export function bringingOf({ from, on, when }: SignInTransition): Bringing {
  const bringing = bringings[`${from} at ${on}, ${when}`] ?? bringings[when]
  if (!bringing) throw new Error(`say in sign-in-rows.ts how this row is brought about: ${from} at ${on}, ${when}`)
  return { ...bringing, ...settingOf(from) }
}

/** Comes back in the same browser or application, which has lost what it was signed in by. */
async function trustDevice({ site, way, account, visitor, shows, newCode }: Scene): Promise<void> {
  const { challenge } = await way.signIn(visitor, account.email, shows.password)
  await way.showCode(visitor, newCode('totp'), { challenge, isRemembering: true })
  const { jar, trustedDeviceToken } = visitor
  const kept = [...jar].filter(([name]) => name === '__Host-remembered')
  shows.visitor = Object.assign(site.visitor(), { jar: new Map(kept), trustedDeviceToken })
}

async function acceptElsewhere({ site: { parts }, account, shows }: Scene, { on }: SignInTransition): Promise<void> {
  const part = on === 'totp' ? parts.totp : parts.recoveryCodes
  const { ok } = await part.verify(account.id, shows.code)
  if (!ok) throw new Error('the code was not right')
}

export function nextTo(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}

/** Signs in to the account in full, by its own way. */
export async function signInFully(scene: Scene, visitor = scene.visitor): Promise<void> {
  const { way, account, kinds, shows, authenticator } = scene
  const begin = async (challenge: string | null) =>
    JSON.stringify(await authenticator.get((await way.startPasskey(visitor, { challenge })) as never))
  const isDone = async (): Promise<boolean> => (await way.goOn(visitor)).answer.status === 200
  if (kinds.includes('passkey')) {
    await way.finishPasskey(visitor, await begin(null), { challenge: null })
  } else {
    const { challenge } = await way.signIn(visitor, account.email, shows.password)
    const [kind] = kinds
    if (kind) await way.showCode(visitor, scene.newCode(kind), { challenge })
  }
  if (!(await isDone())) throw new Error('the sign-in was refused')
}
