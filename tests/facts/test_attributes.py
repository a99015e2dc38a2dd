"""What tells an attribute of a person, and what only looks like it."""

from __future__ import annotations

import pytest

from memopt.facts.about import Request
from memopt.facts.attributes import telephone


def score(request, piece, context="", users=frozenset()):
    return Request.read(request).fit(piece, context, users).score


@pytest.mark.parametrize(
    "text",
    [
        "User, +41 79 123 45 67",
        "Mobile +86 138 0013 8000",
        "Call her on (020) 7946 0958",
        "020 7946 0958",
        "079 123 45 67",
        "0041 79 123 45 67",
        "555-123-4567",
        "(555) 123-4567",
        "1-555-123-4567",
        "13800138000",
        "138 0013 8000",
        "+49 (0)30 1234567",
    ],
)
def test_a_telephone_number_is_one_wherever_it_stands(text):
    assert telephone(text, named=False)


@pytest.mark.parametrize(
    "text",
    [
        "on 2025-01-26",
        "2025.01.26",
        "2025/01/26",
        "2025 01 26",
        "20250126",
        "20250126-143000",
        "26.01.2025",
        "26-01-2025",
        "26/01/2025",
        "01/26/2025 10:30",
        "2025-01-26 10:30:00",
        "2025-01-26T10:30:00Z",
        "1 to 3 May 2025",
        "2024-2025",
        "2024/25",
        "10:30-12:45",
        "09.30-17.00",
        "1 234 567",
        "CHF 1 234 567",
        "1,234,567.89",
        "1'234'567",
        "$1 250 000",
        "12 500 000 yuan",
        "3.14159265",
        "47.3769, 8.5417",
        "192.168.178.100",
        "10.0.0.1:8080",
        "2.31.0-20250126",
        "version 1.2.3.4.5.6",
        "agno 3.1.10",
        "127.0.0.1:65432",
        "ports 8000 8001 8002",
        "port 5432-5439",
        "order 555-123-4567",
        "order number 0123456789",
        "Order #555-123-4567",
        "订单号13812345678",
        "ticket 0555 123 4567",
        "tracking number: 00340434161094042557",
        "ISBN 978-3-16-148410-0",
        "ISBN: 0306406152",
        "card 4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "078-05-1120",
        "IBAN CH93 0076 2011 6238 5295 7",
        "timestamp 1700000000",
        "1700000000123",
        "epoch 1738000000",
        "id 123456789",
        "user 123456789",
        "JIRA-555-123-4567",
        "6-4 7-5 6-2",
        "0-1-2-3-4-5",
        "1-2-3-4-5-6-7",
        "https://example.com/0791234567",
        "0791234567@example.com",
        "b3f0-0555-123-4567",
        "0.0791234567",
        "12 000 000 people",
        "30 000 000 000",
        "ratio 16 9 4 3 21 9",
    ],
)
def test_what_looks_like_a_telephone_number_is_none(text):
    assert telephone(text, named=False) is None
    assert score("her phone number", f"User noted {text}") < 0.6


@pytest.mark.parametrize(
    "text",
    [
        "User's phone, bought on 2025-01-26, is a Pixel 8",
        "User's phone cost 1 299 000 won",
        "User bought a phone for $1,299.00",
        "User's phone runs version 14.0.1.2",
        "User's phone has the IMEI 356938035643809",
        "User pays CHF 1200.50 for her mobile plan since 2024-05-01",
        "User called the clinic at 555-123-4567",
        "User should call 555-123-4567 to reach the plumber",
        "User texted 079 123 45 67",
        "The clinic's phone number is 555-123-4567",
        "The clinic can be reached at 555-123-4567",
        "User's plumber can be reached at 555-123-4567",
        "The phone number of the hotel is 555-123-4567",
        "The phone number for the hotel is 555-123-4567",
        "User's company's phone number is 555-123-4567",
    ],
)
def test_no_other_number_and_nobody_elses_is_the_users_telephone_number(text):
    assert score("her phone number", text) < 0.6


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        ("her e-mail", "User works with react@18.2.0"),
        ("her e-mail", "User cloned git@github.com:acme/site.git"),
        ("her e-mail", "User's database is postgresql://app@db.example.com/main"),
        ("her e-mail", "User follows @mia@mastodon.social"),
        ("her e-mail", "User wrote to support@example.com"),
        ("her e-mail", "User reported the bug to help@example.com"),
        ("her e-mail", "The hotel's e-mail address is info@example.com"),
        ("her e-mail", "User gets too many e-mails"),
        ("her address", "User wants to address 3 problems"),
        ("her address", "The host of 666 Park Avenue is a company"),
        ("her address", "User's favourite bakery is at 5 Elm Road"),
        ("her address", "User's IP address is 10.0.0.1"),
        ("her address", "The clinic's address is 5 Elm Road"),
        ("where she lives", "User moved the meeting from Monday to Friday"),
        ("where she lives", "User moved from Python to Rust"),
        ("where she lives", "User moved to Friday"),
        ("where she lives", "User's company moved to Berlin"),
        ("where she lives", "User has a friend who lives in Bern"),
        ("where she lives", "User's cat lives in the barn"),
        ("where she lives", "User found a trail in her hometown that she likes"),
        ("where she lives", "User lives in fear of deadlines"),
        ("her birthday", "User's company was born in 1999"),
        ("her birthday", "User said the company was born in May 1999"),
        ("her birthday", "User has a dog born in 2020"),
        ("her birthday", "User planned a birthday party on 3 May"),
        ("her birthday", "User celebrates the birthday of the king on 3 May"),
        ("her birthday", "User's train leaves on 3 May 2025"),
        ("her age", "User's house is 100 years old"),
        ("her age", "User drives a 12 years old car"),
        ("her age", "User has painted since the age of 17"),
        ("her age", "User works with the age group 18 to 25"),
        ("her age", "The project is 3 years old"),
        ("her job", "User helps people who lost their jobs"),
        ("her job", "User's cakes work for everyone"),
        ("her job", "User values unity and teamwork for the town"),
        ("her job", "User likes a film about Steve Jobs"),
        ("her job", "User studies unemployment in the region"),
        ("her job", "User fixed the job scheduler"),
        ("her job", "The workflow for reviews is long"),
        ("her salary", "User is making 3 cakes"),
        ("her salary", "User will pay 50 francs for the ticket"),
        ("her salary", "The salary of the mayor is 90,000"),
        ("her name", "User reads 'The Name of the Wind'"),
        ("her name", "The name of the head of state is Ann Lee"),
        ("her name", "User's dog's name is Rex"),
        ("her name", "User's project is named Apollo"),
        ("her name", "User has a boat that is called Mia"),
        ("her name", "The file name is report.pdf"),
        ("her password", "User's password manager is 1Password"),
        ("her password", "The password policy is strict"),
        ("her account number", "User needs a Blue Card; appointment on 24 June 2025"),
        ("her account number", "User created an account on 2025-01-26"),
        ("her account number", "User paid 1,250.00 by card"),
        ("her passport number", "User's passport expires on 3 May 2026"),
        ("her passport number", "User renewed her passport in 2024 for 140 francs"),
        ("her IP address", "User runs version 1.2.3.4"),
    ],
)
def test_what_uses_the_same_words_or_looks_like_a_value_is_not_what_was_asked_for(request_text, text):
    assert score(request_text, text) < 0.6


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        ("her phone number", "User's phone number is 1234567"),
        ("her phone number", "User's new mobile number since 2025-01-26 is 079 123 45 67"),
        ("her phone number", "User can be reached on 044 668 18 00 after 18:00"),
        ("her phone number", "Her number is 555-123-4567"),
        ("her phone number", "Call the user at 555-123-4567"),
        ("her e-mail", "User signs up with a.b+news@example.co.uk"),
        ("her e-mail", "E-mail: a@b.ch"),
        ("her e-mail", "Her e-mail address is a@b.ch."),
        ("her address", "User lives at Bahnhofstrasse 3, Zürich"),
        ("her address", "User's home is at 5 Elm Road"),
        ("her address", "Address: 5 Elm Road, Leeds"),
        ("where she lives", "User moved to Berlin"),
        ("where she lives", "User moved back to her home town"),
        ("where she lives", "User recently moved from Shanghai to Berlin"),
        ("where she lives", "User is based in Leeds"),
        ("where she lives", "User wants to move to Rome"),
        ("where she lives", "Lives in Bern"),
        ("where she lives", "The user has lived in Bern since 2019"),
        ("where she lives", "User's hometown is Graz"),
        ("her birthday", "User was born on 3 May 1990"),
        ("her birthday", "User's birthday is 1990-05-03"),
        ("her birthday", "Born 3 May 1990"),
        ("her age", "User is 34 years old"),
        ("her age", "User's age is 34"),
        ("her age", "User turned 40 in May"),
        ("her job", "User works as a nurse"),
        ("her job", "User lost her job at Noma"),
        ("her job", "User wants to work at Noma"),
        ("her job", "User is an experienced nurse"),
        ("her salary", "User's salary is 90,000"),
        ("her salary", "User earns $90k a year"),
        ("her salary", "User makes 120000 a year"),
        ("her name", "User's name is Ana Lim"),
        ("her name", "User is called Ana"),
        ("her name", "Name: Ana Lim"),
        ("her password", "User's password is hunter2"),
        ("her account number", "User's IBAN is CH93 0076 2011 6238 5295 7"),
        ("her account number", "User's card ends in 4242"),
        ("her passport number", "User's passport number is X1234567"),
        ("her IP address", "User's IP address is 10.0.0.1"),
        ("her IP address", "User's IP is 2001:db8::1"),
    ],
)
def test_what_was_asked_for_is_found_in_its_many_forms(request_text, text):
    assert score(request_text, text) >= 0.6


def test_whoever_is_asked_for_is_the_subject_instead_of_the_user():
    assert score("Ana Lim's age", "Ana Lim is 34 years old") >= 0.6
    assert score("Ana Lim's age", "Ana Lim's house is 100 years old") < 0.6
    assert score("where Ana Lim lives", "Ana Lim lives in Bern") >= 0.6
    assert score("her dentist's phone number", "User's dentist can be reached at 555-123-4567") >= 0.6


def test_a_clause_that_shares_its_subject_is_told_of_that():
    assert score("where she lives", "lives in Bern", context="User") >= 0.6
    assert score("where she lives", "lives in Bern", context="The company") < 0.6
    assert score("her phone number", "is reached at 555-123-4567", context="The clinic") < 0.6
