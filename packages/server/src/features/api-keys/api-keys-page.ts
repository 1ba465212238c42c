import { isAccountsError } from '@latchkey/accounts'
import { keyDaysByDefault } from '@latchkey/accounts/internal'
import { AccessError } from '@latchkey/graphql'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { listKeys } from '../../page-kit/api-keys.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import { proofQuestion } from '../../page-kit/html/proof-question.ts'
import { scopeWords } from '../../page-kit/html/scope-list.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule, signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { freshFactor, hasFreshProof, withFreshProof } from '../step-up/step-up.ts'

const rule = freshFactor(false)
/** The offered days that are below the longest lifetime, which is offered, too. */
const lifetimes = [7, 30, 90]

/** Lists the API keys of the account, and creates one after a fresh proof: the key is shown in that response only. */
export const apiKeysPage: Page = {
  show: (_request, parts) => showKeys(parts),
  take: (request, parts) =>
    withFreshProof(parts, { rule, returnTo: '/account/keys' }, async () => createKey(request, parts)),
}

/** Revokes a key. One that was revoked in the meantime is revoked. */
export const keyRevocation: Page = {
  async take(request, { frame, accounts, authorize, attempt }) {
    const { subject } = authorize(authenticatedRule)
    const form = await readForm(request)
    const [id, from] = [form?.get('id') ?? '', form?.get('from')]
    if (id !== '') await accounts.revokeApiKey({ subject, id, attempt: attempt() })
    return redirect(frame, from === 'devices' ? '/devices' : from === 'keys' ? '/account/keys' : '/account')
  },
}

async function createKey(request: HttpRequest, parts: PageParts): Promise<HttpResponse> {
  const { frame, accounts, authorize, attempt, offers } = parts
  const form = await readForm(request)
  const asked = {
    name: form?.get('name') ?? '',
    scopes: offers.keys?.scopes.filter((scope) => form?.get(`scope-${scope}`) === 'yes') ?? [],
    expiresInDays: Number(form?.get('days') ?? Number.NaN),
  }
  // An empty form is shown again without an error.
  if (!form || (asked.name === '' && asked.scopes.length === 0)) return showKeys(parts)
  try {
    const created = await accounts.createApiKey({ identity: authorize(signedIn), ...asked, attempt: attempt() })
    if (!created.ok) throw new AccessError('UNAUTHENTICATED')
    const { texts } = frame
    const body = html`<p>${texts['keys.once']}</p>
<pre tabindex="0" aria-label="${texts['keys.label']}">${created.key}</pre>
<p><a href="/account/keys">${texts['keys.done']}</a></p>`
    return createPage(frame, { title: texts['keys.created'], body })
  } catch (error) {
    if (isAccountsError(error) && error.code === 'API_KEY_REJECTED') return showKeys(parts, asked.name)
    throw error
  }
}

/** @param refused the refused name of a new key, if any. */
async function showKeys(parts: PageParts, refused?: string): Promise<HttpResponse> {
  const { frame, authorize } = parts
  const { texts } = frame
  const keys = await listKeys(parts, authorize(signedIn).subject, 'keys')
  const form = hasFreshProof(parts, rule) ? creationForm(parts, refused) : proofQuestion(frame, '/account/keys')
  const body = html`${problem(refused === undefined ? null : texts['refusal.API_KEY_REJECTED'])}<p>${texts['keys.why']}</p>
${keys}<h2>${texts['keys.create-title']}</h2>
${form}<p><a href="/account">${texts['second-factor.back']}</a></p>`
  return createPage(frame, { status: refused === undefined ? 200 : 400, title: texts['account.keys'], body })
}

function creationForm({ frame, offers: { keys } }: PageParts, refused?: string): Html {
  const { texts } = frame
  const name = field({
    name: 'name',
    label: texts['keys.name'],
    autocomplete: 'off',
    hint: texts['keys.name-hint'],
    isWrong: refused !== undefined,
    ...(refused !== undefined && { value: refused }),
  })
  const { grantable, maxDays } = keys ?? { grantable: () => [], maxDays: 0 }
  const boxes = grantable().map(
    (scope) =>
      html`<p><input type="checkbox" id="scope-${scope}" name="scope-${scope}" value="yes"> <label for="scope-${scope}">${scopeWords(frame, scope)}</label></p>\n`,
  )
  const offered = [...new Set([...lifetimes.filter((days) => days < maxDays), maxDays])]
  const chosen = keyDaysByDefault(maxDays)
  const options = offered.map(
    (days) =>
      html`<option value="${String(days)}"${days === chosen ? html` selected` : nothing}>${fill(texts['keys.days'], { days: String(days) })}</option>\n`,
  )
  return html`<form method="post" action="/account/keys">
${name}<fieldset><legend>${texts['keys.scopes']}</legend>
${boxes}</fieldset>
<label for="days">${texts['keys.lifetime']}</label>
<select id="days" name="days">
${options}</select>
<button type="submit">${texts['keys.create']}</button>
</form>
`
}
