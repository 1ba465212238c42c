import { decide, hiddenFields, open, requestPath } from '../support/clients/asking.ts'
import { ownForm } from '../support/forms.ts'
import { emailOf, firstId, ownCode, ownRegistration, type Try } from './operations.ts'
import {
  addressForCode,
  challengeOf,
  chosen,
  confirmToken,
  guess,
  mailedCode,
  noToken,
  resetToken,
  type Thief,
  undoToken,
} from './thieves.ts'

type Fields = Readonly<Record<string, string>>

const post = (path: string, fields: (thief: Thief) => Fields | Promise<Fields> = () => ({})): Try => ({
  run: async (thief) => thief.visitor.post(path, { return_to: '/account', ...(await fields(thief)) }, ownForm),
})
const before = (tried: Try): Try => ({ ...tried, before: true })

const code = (thief: Thief): Fields => ({ code: thief.code ?? '000000' })

/** The code that a device of the thief's own shows. */
async function deviceCode({ held: { bench } }: Thief): Promise<string> {
  const { text } = await bench.visitor().post('/device_authorization', { client_id: 'television', scope: 'openid' })
  return JSON.parse(text).user_code
}

/** Every form of a page, as a thief sends it. */
export const pageTries: Readonly<Record<string, Try>> = {
  '/sign-in': before(post('/sign-in', (thief) => ({ email: emailOf(thief), password: thief.password ?? guess }))),
  '/sign-in-code': before(
    post('/sign-in-code', async (thief) => {
      const email = await addressForCode(thief)
      await thief.visitor.post('/sign-in-code', { email }, ownForm)
      return { email, code: await mailedCode(thief) }
    }),
  ),
  '/sign-out': post('/sign-out'),
  '/second-factor': post('/second-factor', code),
  '/confirm-password': post('/confirm-password', ({ password }) => ({ password: password ?? guess })),
  '/passkey': post('/passkey', (thief) => ({
    response: '{}',
    step: challengeOf(thief) === null ? 'sign-in' : 'second-factor',
  })),
  '/passkey/start': post('/passkey/start', () => ({ step: 'sign-in' })),
  '/account/name': post('/account/name', () => ({ name: 'Another' })),
  '/account/email': post('/account/email', ({ mailboxes }) => ({ email: mailboxes.at(-1) ?? '' })),
  '/account/password': post('/account/password', ({ password }) => ({
    password: password ?? guess,
    new_password: `${chosen} again`,
  })),
  '/account/export': post('/account/export'),
  '/account/delete': post('/account/delete', (thief) => ({ email: emailOf(thief) })),
  '/account/totp/start': post('/account/totp/start'),
  '/account/totp/confirm': post('/account/totp/confirm', async (thief) => ({ code: await ownCode(thief) })),
  '/account/totp/remove': post('/account/totp/remove', code),
  '/account/recovery-codes': post('/account/recovery-codes', code),
  '/account/passkeys/start': post('/account/passkeys/start', () => ({ name: 'Phone' })),
  '/account/passkeys/add': post('/account/passkeys/add', async (thief) => ({
    name: 'Phone',
    response: await ownRegistration(thief),
  })),
  '/account/passkeys/rename': post('/account/passkeys/rename', async (thief) => ({
    id: await firstId(thief, 'passkeys'),
    name: 'Mine',
  })),
  '/account/passkeys/remove': post('/account/passkeys/remove', async (thief) => ({
    id: await firstId(thief, 'passkeys'),
  })),
  '/account/applications/revoke': post('/account/applications/revoke', async (thief) => ({
    id: await firstId(thief, 'grants'),
  })),
  '/devices/end': post('/devices/end', async (thief) => ({ id: await firstId(thief, 'sessions') })),
  '/devices/end-others': post('/devices/end-others'),
  '/step-up': post('/step-up'),
  '/consent': {
    async run({ visitor }) {
      const page = await open(visitor, requestPath({ client_id: 'reader', scope: 'openid email' }))
      // Who is not signed in is asked to sign in where the request goes on.
      return page.text.includes('action="/consent"') ? decide(visitor, page, 'allow') : visitor.get('/account')
    },
  },
  '/device': post('/device', async (thief) => ({ user_code: await deviceCode(thief) })),
  '/device/decision': {
    async run(thief) {
      const user_code = await deviceCode(thief)
      const page = await thief.visitor.post('/device', { user_code }, ownForm)
      const fields = { user_code, ...(page.status === 200 && hiddenFields(page)) }
      return thief.visitor.post('/device/decision', { ...fields, decision: 'allow' }, ownForm)
    },
  },
  '/sign-up': post('/sign-up', (thief) => ({ email: emailOf(thief), password: chosen, name: 'A' })),
  '/verify': post('/verify', () => ({ token: noToken })),
  '/reset': before(post('/reset', async (thief) => ({ token: await resetToken(thief), password: chosen }))),
  '/confirm-email-change': post('/confirm-email-change', async (thief) => ({ token: await confirmToken(thief) })),
  '/undo-email-change': before(post('/undo-email-change', (thief) => ({ token: undoToken(thief) }))),
}
