import type { HttpResponse } from '@latchkey/http'
import { formPage } from '../../page-kit/forms/form-page.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { dateOf } from '../../page-kit/html/date-of.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule, signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'

/** Says whether there is an authenticator app, and lets it be set up, replaced or turned off. */
export const totpPage: Page = {
  show: (_request, parts) => showTotp(parts),
}

/** Turns the authenticator app off, by one of its codes or a recovery code. */
export const totpRemoval: Page = {
  async take(request, parts) {
    const { frame, authorize, factorSession } = parts
    authorize(signedIn)
    const code = (await readForm(request))?.get('code') ?? ''
    if (code === '') return showTotp(parts, 'incomplete')
    const { ok } = await factorSession.disableTotp(code)
    return ok ? redirect(frame, '/account') : showTotp(parts, 'wrong')
  },
}

async function showTotp(parts: PageParts, refused?: 'wrong' | 'incomplete'): Promise<HttpResponse> {
  const { frame, accounts, authorize } = parts
  const { texts } = frame
  const factors = await accounts.listFactors(authorize(authenticatedRule).subject)
  const found = factors.find(({ kind }) => kind === 'totp')
  const body = html`${problem(refused ? texts[`second-factor.${refused}`] : null)}<p>${
    found
      ? fill(texts[found.isDisabled ? 'totp.disabled' : 'totp.since'], {
          date: dateOf(frame, found.createdAt),
        })
      : texts['totp.why']
  }</p>
<form method="post" action="/account/totp/start">
<button type="submit">${texts[found ? 'totp.replace' : 'totp.start']}</button>
</form>
${found ? removalForm(parts, refused !== undefined) : nothing}<p><a href="/account">${texts['second-factor.back']}</a></p>`
  return formPage(frame, { refused, asking: null, title: texts['account.totp'], body })
}

function removalForm({ frame: { texts } }: PageParts, isWrong: boolean): Html {
  const code = field({
    name: 'code',
    label: texts['second-factor.code'],
    autocomplete: 'one-time-code',
    inputmode: 'text',
    hint: texts['second-factor.hint'],
    isWrong,
  })
  return html`<h2>${texts['totp.remove-title']}</h2>
<form method="post" action="/account/totp/remove">
${code}<button type="submit" class="quiet">${texts['totp.remove']}</button>
</form>
`
}
