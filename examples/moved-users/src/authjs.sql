-- Writes one line of JSON for each user in the PostgreSQL database of Auth.js, with the names of its adapter:
--   psql "$OLD_DATABASE" -X -A -t -v users=users -v accounts=accounts -v password=null -f src/authjs.sql > users.jsonl
-- Prisma: -v users='"User"' -v accounts='"Account"'. Drizzle: -v users='"user"' -v accounts=account.
-- `password` is the column of `users` that your Credentials provider reads, for example password_hash.
select json_build_object(
  'id', u.id::text,
  'email', u.email,
  'name', u.name,
  'verified', u."emailVerified" is not null,
  'passwordHash', :password,
  'links', (
    select coalesce(json_agg(json_build_object('provider', a.provider, 'subject', a."providerAccountId")), '[]')
    from :accounts a
    where a."userId" = u.id
  )
)
from :users u
order by u.id;
