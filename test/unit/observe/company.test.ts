// Goal: it is known of each exchange who else was on its route until its first token. Method: calls in
// the order in which exchanges open, get tokens and end.
import { expect, it } from 'vitest';
import { CompanyBook } from '../../../src/observe/company.ts';

it('counts who was there, and who came before the first token', () => {
  const book = new CompanyBook();
  const first = book.enter(0);
  const second = book.enter(0);
  book.settle(0, first);
  const third = book.enter(0);
  book.settle(0, second);
  book.settle(0, third);
  expect([first, second, third]).toEqual([
    { atOpenCount: 0, joinedCount: 1 },
    { atOpenCount: 1, joinedCount: 1 },
    { atOpenCount: 2, joinedCount: 0 },
  ]);
});

it('keeps routes apart', () => {
  const book = new CompanyBook();
  book.enter(0);
  expect(book.enter(1)).toEqual({ atOpenCount: 0, joinedCount: 0 });
  expect(book.openCount(0)).toBe(1);
});

it('settles an exchange that ends without a token at its end, and each only once', () => {
  const book = new CompanyBook();
  const company = book.enter(0);
  const other = book.enter(0);
  book.leave(0, company);
  book.leave(0, other);
  book.enter(0);
  book.settle(0, company);
  expect(company.joinedCount).toBe(1);
  expect(book.openCount(0)).toBe(1);
});

it('does not count those who have left', () => {
  const book = new CompanyBook();
  book.leave(0, book.enter(0));
  expect(book.enter(0).atOpenCount).toBe(0);
});
