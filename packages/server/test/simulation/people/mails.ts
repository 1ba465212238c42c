import { ask, attemptOf, type Habit } from './plan.ts'

export const requestReset: Habit = (_scene, person) => ({
  what: 'request a reset',
  claims: { audited: 'password.reset-requested' },
  async ask({ accounts }) {
    await accounts.requestPasswordReset({ email: person.email, attempt: attemptOf(person) })
    return {}
  },
})

export const reset: Habit = (scene, person) => {
  const links = person.mails.flatMap(({ url }) => (url?.includes('/reset?') ? [new URL(url)] : []))
  const link = links[links.length - 1 - scene.choices.below(Math.max(1, links.length))]?.searchParams.get('token')
  if (!link) return null
  const newPassword = `${person.name} was reset to otter ${person.passwords.length}`
  return {
    what: 'reset the password',
    claims: { link, sets: { password: newPassword }, revokes: 'all', audited: 'password.reset' },
    async ask({ accounts }) {
      const result = await accounts.resetPassword({ token: link, newPassword, attempt: attemptOf(person) })
      if (!result.ok) return 'link'
      if (result.status === 'second-factor-required')
        return ask(person, { text: result.challenge, sets: { password: newPassword } })
      person.passwords = [...person.passwords, newPassword]
      return {}
    },
  }
}
