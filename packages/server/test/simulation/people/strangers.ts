import { attemptOf, type Habit } from './plan.ts'

/** Guesses the password of somebody else, from an address of their own. */
export const guess: Habit = (_scene, person) => {
  const address = '203.0.113.9'
  const password = 'a stranger guesses this'
  return {
    what: 'guess a password',
    claims: { email: person.email, password, address, opens: true },
    async ask({ accounts }) {
      const attempt = { ...attemptOf(person), address }
      const result = await accounts.signIn({ email: person.email, password, delivery: 'session', attempt })
      return result.ok ? {} : 'credentials'
    },
  }
}

/** Signs up with the address of somebody who has an account. */
export const signUpAs: Habit = (_scene, person) => ({
  what: 'sign up with the address of somebody else',
  claims: { newEmail: person.email },
  async ask({ accounts }) {
    const attempt = { ...attemptOf(person), address: '203.0.113.9' }
    const password = 'a stranger chose this one'
    await accounts.signUp({ email: person.email, password, name: 'Somebody', attempt })
    return {}
  },
})
