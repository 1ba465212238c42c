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
