import { useState } from 'react'
import { own } from '../data/auth.ts'
import { Field, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'

export function ChangePassword() {
  const [changes, setChanges] = useState(0)
  const submit = async ({ currentPassword = '', newPassword = '' }) => {
    await own?.changePassword({ currentPassword, newPassword })
    setChanges(changes + 1)
  }
  return (
    <section className="panel" aria-labelledby="password">
      <h2 id="password">Password</h2>
      {changes > 0 && (
        <Notice kind="good">Your password is changed. All other sessions have ended; this one goes on.</Notice>
      )}
      <Form key={changes} submit={submit} button="Change password">
        <Field name="currentPassword" label="Current password" type="password" autoComplete="current-password" />
        <Field name="newPassword" label="New password" type="password" autoComplete="new-password" />
      </Form>
    </section>
  )
}
