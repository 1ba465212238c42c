import type { HttpResponse } from '@latchkey/http'
import { readForm } from '../../page-kit/forms/read-form.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'

/** Withdraws what an application was allowed. One that was withdrawn in the meantime is withdrawn. */
export const grantRevocation: Page = {
  async take(request, parts): Promise<HttpResponse> {
    const { subject } = parts.authorize(authenticatedRule)
    const form = await readForm(request)
    const id = form?.get('id') ?? ''
    await parts.consents?.revoke(subject, id, request)
    return redirect(parts.frame, form?.get('from') === 'devices' ? '/devices' : '/account')
  },
}
