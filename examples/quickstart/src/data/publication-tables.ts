import type { DatabaseSync } from 'node:sqlite'

/** Creates the publication's own tables if they do not exist; `@latchkey/sql` creates the tables of accounts. */
export function createPublicationTables(database: DatabaseSync): void {
  database.exec(`
    create table if not exists articles (
      position integer primary key autoincrement,
      id text not null unique,
      title text not null,
      body text not null,
      status text not null check (status in ('DRAFT', 'PUBLISHED')),
      rating real,
      author_id text not null
    ) strict;
    create index if not exists articles_author on articles (author_id);
    create table if not exists comments (
      position integer primary key autoincrement,
      id text not null unique,
      text text not null,
      author_id text not null,
      article_id text not null references articles (id) on delete cascade
    ) strict;
    create index if not exists comments_article on comments (article_id);
    create table if not exists milestones (name text primary key) strict;
  `)
}
