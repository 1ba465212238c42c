import type { HttpReply } from '@latchkey/http'
import { field, problem } from '../frame/field.ts'
import { html, nothing } from '../frame/html.ts'
import { createPage } from '../frame/page.ts'
import type { Page, PageParts } from '../frame/page-parts.ts'
import { readForm } from '../frame/read-form.ts'
import { freshFactor, signedIn, withFreshProof } from '../sign-in/step-up.ts'
import { showCodes } from './shown-codes.ts'

/** Replaces the recovery codes: by a code of the authenticator app, or where there is none by a fresh passkey. */
export const recoveryCodesPage: Page = {
  show: async (_request, parts) => askForCode(parts, await hasApp(parts)),
  async take(request, parts) {
    const code = (await readForm(request))?.get('code') ?? null
    if (await hasApp(parts)) {
      return code ? regenerate(parts, code) : askForCode(parts, true, 'incomplete')
    }
    return withFreshProof(parts, { rule: freshFactor(false), returnTo: '/account/recovery-codes' }, () =>
      regenerate(parts, null),
    )
  },
}

async function hasApp({ accounts, authorize }: PageParts): Promise<boolean> {
  const factors = await accounts.listFactors(authorize(signedIn).subject)
  return factors.some(({ kind }) => kind === 'totp')
}

async function regenerate(parts: PageParts, code: string | null): Promise<HttpReply> {
  const { frame, accounts, authorize, attempt, factors } = parts
  const identity = authorize(signedIn)
  const result = factors.deliver(await accounts.regenerateRecoveryCodes({ identity, code, attempt: attempt() }))
  return result.ok ? showCodes(frame, result.codes ?? []) : askForCode(parts, code !== null, 'wrong')
}

const statuses = { wrong: 401, incomplete: 400 } as const

function askForCode(parts: PageParts, takesCode: boolean, refused?: keyof typeof statuses): HttpReply {
  const { frame } = parts
  const { texts } = frame
  const code = field({
    name: 'code',
    label: texts['second-factor.code'],
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    isWrong: refused !== undefined,
  })
  const body = html`${problem(refused ? texts[`second-factor.${refused}`] : null)}<p>${texts['recovery-codes.why']}</p>
<form method="post" action="/account/recovery-codes">
${takesCode ? code : nothing}<button type="submit">${texts['recovery-codes.submit']}</button>
</form>
<p><a href="/account">${texts['second-factor.back']}</a></p>`
  return createPage(frame, { status: refused ? statuses[refused] : 200, title: texts['account.recovery-codes'], body })
}
