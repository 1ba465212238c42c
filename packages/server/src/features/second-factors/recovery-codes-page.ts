import type { HttpResponse } from '@latchkey/http'
import { formPage } from '../../page-kit/forms/form-page.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { html, nothing } from '../../page-kit/html/html.ts'
import { showCodes } from '../../page-kit/html/presented-codes.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { freshFactor, withFreshProof } from '../step-up/step-up.ts'

/**
 * Replaces the recovery codes after a code of the authenticator app, or after a fresh passkey if the account has no
 * app.
 */
export const recoveryCodesPage: Page = {
  async show(_request, parts) {
    const kinds = await kindsOf(parts)
    return kinds.length === 0 ? redirect(parts.frame, '/account') : askForCode(parts, kinds.includes('totp'))
  },
  async take(request, parts) {
    const code = (await readForm(request))?.get('code') ?? null
    const kinds = await kindsOf(parts)
    if (kinds.length === 0) return redirect(parts.frame, '/account')
    if (kinds.includes('totp')) return code ? regenerate(parts, code) : askForCode(parts, true, 'incomplete')
    return withFreshProof(parts, { rule: freshFactor(false), returnTo: '/account/recovery-codes' }, () =>
      regenerate(parts, null),
    )
  },
}

/** A disabled app has no code that would do, and a passkey does in its place. */
async function kindsOf({ accounts, authorize }: PageParts): Promise<readonly string[]> {
  const factors = await accounts.listFactors(authorize(signedIn).subject)
  return factors.flatMap(({ kind, isDisabled }) => (isDisabled ? [] : [kind]))
}

async function regenerate(parts: PageParts, code: string | null): Promise<HttpResponse> {
  const { frame, factorSession } = parts
  const result = await factorSession.regenerateRecoveryCodes(code)
  return result.ok ? showCodes(frame, result.codes ?? []) : askForCode(parts, code !== null, 'wrong')
}

function askForCode(parts: PageParts, takesCode: boolean, refused?: 'wrong' | 'incomplete'): HttpResponse {
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
  return formPage(frame, { refused, asking: null, title: texts['account.recovery-codes'], body })
}
