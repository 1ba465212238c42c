import { isAccountsError } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import type { EnrolledPasskey } from '@latchkey/store'
import { elsewhere } from '../../page-kit/forms/passkey-part.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { dateOf } from '../../page-kit/html/date-of.ts'
import { field, hidden, problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { freshFactor, withFreshProof } from '../step-up/step-up.ts'

/** Lists the passkeys of the account, and lets one be added, renamed or removed. */
export const passkeysPage: Page = {
  show: (_request, parts) => showPasskeys(parts),
}

/** Renames a passkey, for which no fresh proof is needed. */
export const passkeyRenaming: Page = {
  async take(request, parts) {
    const form = await readForm(request)
    const [id, name] = [form?.get('id') ?? '', form?.get('name') ?? '']
    try {
      const passkey = await parts.factorSession.renamePasskey({ id, name })
      return passkey ? redirect(parts.frame, '/account/passkeys') : showPasskeys(parts, 'passkeys.gone')
    } catch (error) {
      if (isAccountsError(error) && error.code === 'NAME_INVALID')
        return showPasskeys(parts, 'passkeys.name-refused', id)
      throw error
    }
  },
}

/** Removes a passkey. */
export const passkeyRemoval: Page = {
  async take(request, parts) {
    const id = (await readForm(request))?.get('id') ?? ''
    const proof = { rule: freshFactor(true), returnTo: '/account/passkeys', recoveryCode: true }
    return withFreshProof(parts, proof, async () => {
      try {
        const result = await parts.factorSession.removePasskey(id)
        return result?.ok ? redirect(parts.frame, '/account/passkeys') : await showPasskeys(parts, 'passkeys.gone')
      } catch (error) {
        if (isAccountsError(error) && error.code === 'LAST_SIGN_IN_METHOD')
          return showPasskeys(parts, 'refusal.LAST_SIGN_IN_METHOD')
        throw error
      }
    })
  },
}

/**
 * @param refused the text about the refused change.
 * @param renamed the id of the passkey whose new name was refused; `null`: the name of a new passkey was.
 */
export async function showPasskeys(
  parts: PageParts,
  refused?: 'passkeys.gone' | 'passkeys.refused' | 'passkeys.name-refused' | 'refusal.LAST_SIGN_IN_METHOD',
  renamed: string | null = null,
): Promise<HttpResponse> {
  const { frame, accounts, authorize } = parts
  const { texts } = frame
  const passkeys = await accounts.listPasskeys(authorize(authenticatedRule).subject)
  const items = passkeys.map((passkey) => itemOf(parts, passkey, passkey.id === renamed))
  const list =
    items.length > 0 ? html`<ul class="applications">\n${items}</ul>` : html`<p>${texts['passkeys.none']}</p>`
  const body = html`${problem(refused ? texts[refused] : null)}<p>${texts['passkeys.why']}</p>
${list}
${additionForm(parts, refused === 'passkeys.name-refused' && renamed === null)}<p><a href="/account">${texts['second-factor.back']}</a></p>`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['account.passkeys'], body })
}

function itemOf({ frame }: PageParts, { id, name, createdAt }: EnrolledPasskey, isWrong: boolean): Html {
  const { texts } = frame
  const newName = field({
    name: 'name',
    id: `new-name-${id}`,
    label: texts['passkeys.new-name'],
    autocomplete: 'off',
    value: name,
    isWrong,
  })
  return html`<li><strong id="name-${id}">${name}</strong>, ${fill(texts['passkeys.since'], { date: dateOf(frame, createdAt) })}
<details${isWrong ? html` open` : nothing}><summary id="rename-${id}" aria-labelledby="rename-${id} name-${id}">${texts['passkeys.rename']}</summary>
<form method="post" action="/account/passkeys/rename">
${hidden('id', id)}${newName}<button type="submit">${texts['passkeys.rename']}</button>
</form></details>
<form method="post" action="/account/passkeys/remove">
${hidden('id', id)}<button type="submit" class="quiet" id="remove-${id}" aria-labelledby="remove-${id} name-${id}">${texts['passkeys.remove']}</button>
</form></li>
`
}

function additionForm({ frame: { texts }, offers }: PageParts, isWrong: boolean): Html {
  if (offers.passkeyOrigin !== null) {
    return elsewhere(texts['passkey.elsewhere'], offers.passkeyOrigin, '/account/passkeys')
  }
  const name = field({
    name: 'name',
    label: texts['passkeys.name'],
    autocomplete: 'off',
    hint: texts['passkeys.name-hint'],
    isWrong,
  })
  return html`<h2>${texts['passkeys.add-title']}</h2>
<form method="post" action="/account/passkeys/start">
${name}<button type="submit">${texts['passkeys.add']}</button>
</form>
`
}
