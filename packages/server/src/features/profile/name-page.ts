import { type Account, isAccountsError } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { cancelLink } from '../../page-kit/html/proof-question.ts'
import { checkPresentedFor, ownAccount, presentedFor } from '../../page-kit/own-account.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'

/** Changes what a person is called. */
export const namePage: Page = {
  show: async (_request, parts) => askForName(parts.frame, await ownAccount(parts)),
  async take(request, { frame, accounts, authorize, attempt }) {
    const identity = authorize(signedIn)
    const form = await readForm(request)
    checkPresentedFor(form, identity)
    const name = form?.get('name') ?? ''
    try {
      const account = await accounts.changeName({ identity, name, attempt: attempt() })
      if (!account) throw new AccessError('UNAUTHENTICATED')
      return redirect(frame, '/account')
    } catch (error) {
      if (isAccountsError(error) && error.code === 'NAME_INVALID')
        return askForName(frame, { id: identity.subject, name }, true)
      throw error
    }
  },
}

function askForName(frame: PageFrame, account: Pick<Account, 'id' | 'name'>, isWrong = false): HttpResponse {
  const { texts } = frame
  const name = field({
    name: 'name',
    label: texts['change-name.name'],
    autocomplete: 'name',
    value: account.name,
    isWrong,
    isFirst: true,
  })
  const body = html`${problem(isWrong ? texts['refusal.NAME_INVALID'] : null)}<form method="post" action="/account/name">
${presentedFor(account)}${name}<button type="submit">${texts['change-name.submit']}</button>
</form>
${cancelLink(frame)}`
  return createPage(frame, { status: isWrong ? 400 : 200, title: texts['account.name'], body })
}
