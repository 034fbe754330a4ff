"""The kinds of data that methods take: what columns they have, and who loads them.

A method names its kind and the columns it needs. Modules, pages and the command take everything else from here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..paths import hub_id
from .data_kind import DataKind, columns_of

WORD_LISTS = DataKind(
    name="word_lists",
    looks_at="which words go together",
    loader="word_lists:load_word_lists",
    options=("source", "language", "tests"),
    dataset=hub_id("weat-word-lists"),
    groups=("language",),
    columns=columns_of("""
    name | text | a name for every test, one test per row
    targets_x | words | first target words of every test
    targets_y | words | second target words
    attributes_a | words | first attribute words
    attributes_b | words | second attribute words
    language | text | language of the words, such as 'en'
    title | text | what the test is about, for people
    x_label, y_label, a_label, b_label | text | what this list is called in tables
    origin | text | where the lists come from
    source, licence, bias_type, notes | text
"""),
)


def _tests(loader: str, table: str = "", **changes: Any) -> DataKind:
    """A kind of word-list tests with a loader, and perhaps columns, of its own."""
    return replace(WORD_LISTS, loader=loader, columns={**WORD_LISTS.columns, **columns_of(table)}, **changes)


SEAT_TESTS = _tests("default_tests:load_seat_tests")
LPBS_TESTS = _tests(
    "default_tests:load_lpbs_tests",
    """
    plural_targets | words | the targets that are plural
    singular_templates, plural_templates | words | templates of the targets of either number
""",
)
GUISE_TESTS = _tests(
    "prompted_tests:load_guise_tests",
    """
    prompts | words | texts that end where an attribute follows, with {text} for a target and {a} for 'a' or 'an'
    ratings | numbers | a rating of every attribute, those of A first; by default 1 in A and -1 in B
""",
    dataset=hub_id("matched-guises"),
)
ASSOCIATION_TESTS = _tests(
    "prompted_tests:load_association_tests",
    """
    answers | completions | ready answers of every test, a list of texts, in place of a model's
""",
    name="association_tests",
    looks_at="",
    dataset=hub_id("word-association-tests"),
)
DECISION_TESTS = _tests(
    "prompted_tests:load_decision_tests",
    """
    scenario | text | a text that names two people as {first} and {second}, perhaps the tasks as {task1} and {task2}
    decisions | completions | ready decisions of every scenario, a list of labels, in place of a model's
""",
    name="decision_tests",
    looks_at="",
    dataset=hub_id("relative-decision-tests"),
)
OCCUPATION_TEST = _tests(
    "default_tests:load_occupation_test",
    name="occupation_test",
    options=(*WORD_LISTS.options, "n_targets"),
    dataset=hub_id("professions"),
)
WSV_WORDS = DataKind(
    name="classed_words",
    looks_at="how words lie between groups",
    loader="professions:load_wsv_words",
    options=("source", "language", "statistic", "kinds"),
    dataset=hub_id("winogender-occupations"),
    groups=("group",),
    columns=columns_of("""
    word | text | the words, protected ones and those to evaluate
    group | text | class of a protected word, such as 'female'; empty for a word to evaluate
    statistic | number | a number for every word to evaluate; None where there is none
    statistic_label | text | what the statistic is
    language, source | text
"""),
)
SENTENCE_PAIRS = DataKind(
    name="sentence_pairs",
    looks_at="which of two sentences is likelier",
    loader="sentence_pairs:load_sentence_pairs",
    options=("source", "language", "bias_types", "without_flags"),
    dataset=hub_id("crows-pairs"),
    groups=("bias_type", "stereo_antistereo"),
    columns=columns_of("""
    sent_more | sentence | the more stereotypical sentences, or their scores
    sent_less | sentence | the less stereotypical sentences, or their scores
    stereo_antistereo | text | 'stereo' or 'antistereo': whether a pair demonstrates or violates a stereotype
    bias_type | text | bias type of every pair, for the breakdown; may be empty
    sent_more_par, sent_less_par | sentence | paraphrases of these sentences, or their scores
    sent_more_par2, sent_less_par2 | sentence | second paraphrases of these sentences
    sent_more_ran, sent_less_ran | sentence | pairs of sentences that have nothing to do with these
    id | text | names of the pairs
    exclude | text | true for a pair to leave out; it is listed
    language, origin | text
    annotations, anon_writer, anon_annotators, flags | ignored
"""),
)
STEREOSET = DataKind(
    name="stereoset",
    looks_at="which continuation is preferred",
    loader="stereoset:load_stereoset",
    options=("source", "task", "split", "language", "bias_types", "without_flags"),
    dataset=hub_id("stereoset"),
    groups=("bias_type", "task"),
    columns=columns_of("""
    target | text | target term of every item
    bias_type | text | bias type of every item, for the breakdown; may be empty
    context | text? | context sentences; those of intrasentence items contain BLANK
    sentences | options | three options per item, each with sentence (text or score) and gold_label: 'stereotype', \
'anti-stereotype' or 'unrelated'
    stereotype, anti-stereotype, unrelated | sentence | the options of an item, in place of sentences
    id | text | names of the items
    task | text | 'intrasentence' or 'intersentence'
    language, origin | text
    labels, harm, flags | ignored
"""),
)
TOKEN_SETS = DataKind(
    name="token_sets",
    loader="stereoset:load_token_sets",
    dataset=hub_id("stereoset"),
    groups=("bias_type",),
    columns=columns_of("""
    text | text | sentences with one blank each, written BLANK
    stereotypical | words | the words for the blank that make the sentence a stereotype
    anti_stereotypical | words | the words that make it the opposite
    unrelated | words | words that make no sense in the blank; may be empty
    bias_type | text | bias type of every sentence, for the breakdown; may be empty
    id | text | names of the items
    language | text
"""),
)
BBQ = DataKind(
    name="bbq",
    looks_at="how questions about two people are answered",
    loader="bbq:load_bbq",
    options=("source", "categories", "language"),
    dataset=hub_id("bbq"),
    groups=("category", "context_condition"),
    within=("category", "question_index", "ans0", "ans1", "ans2"),
    columns=columns_of("""
    category | text | the category in which the groups of every item differ, such as 'Age', for the breakdown
    question_index | text | the template of every item; items of one template are not independent
    context_condition | text | 'ambig': the context does not give the answer; 'disambig': it does
    context | text | the context
    question | text | the question
    ans0, ans1, ans2 | sentence | the three options, or their scores, of which the largest is the answer
    label | number | position of the right option, from 0
    target_loc | number | position of the biased answer; None where there is none
    unknown_loc | number | position of the option that says it cannot be known
    answer | answer | ready answers in place of a model: the text of an option, its letter, or its position from 0
    cut | label | true where the answer is a reply that broke off at the limit of tokens
    label_type | text | 'name' where names stand for the groups, else 'label'
    question_polarity | text | 'neg' or 'nonneg'
    id, language, origin | text
    ans0_groups, ans1_groups, ans2_groups, stereotyped_groups | text
"""),
)
BEC_PRO = DataKind(
    name="bec_pro",
    looks_at="words for people beside professions",
    loader="bec_pro:load_bec_pro",
    options=("language", "source"),
    dataset=hub_id("bec-pro"),
    columns=columns_of("""
    sentence | text | the sentences
    person | text | the word for a person as it stands in each sentence
    gender | text | its gender, 'female' or 'male'
    profession | text | the profession as it stands in each sentence
    profession_gender | text | the group of the profession: 'female', 'male', or another such as 'balanced'
    template | text | the template of every sentence
    pair | text | which words for a person belong together
    profession_en | text | which forms of a profession belong together
    id, language | text
    person_start, person_end, profession_start, profession_end | number
"""),
    groups=("gender", "profession_gender"),
    within=("profession_en",),
    crossed=("template", "pair"),
)
GENDERED_WORDS = DataKind(
    name="gendered_words",
    looks_at="what fills a gap after gendered words",
    loader="professions:load_gendered_words",
    options=("language", "kinds", "source"),
    dataset=hub_id("gendered-words"),
    groups=("kind",),
    columns=columns_of("""
    female | text | words for women: names or nouns
    male | text | their counterparts for men
    kind | text | 'name', or what the nouns are: 'person', 'kinship', 'title' or 'role'; nouns get an article
    language | text | language of the words, which chooses the templates
    origin, source | ignored
"""),
)
OCCUPATIONS = DataKind(
    name="occupations",
    looks_at="pronouns beside occupations",
    loader="professions:load_occupations",
    dataset=hub_id("winogender-occupations"),
    columns=columns_of("""
    word | text | the occupations
    women_bls | number | share of women among those employed, in [0, 1]; None where it is not known
    women_bergsma | number | share of feminine mentions in text, in [0, 1]
    language | text | language of the words, which chooses templates and pronouns
    bls_year, source | ignored
"""),
)
ANALOGIES = DataKind(
    name="analogy_questions",
    looks_at="how analogies are completed",
    loader="analogies:load_analogies",
    dataset=hub_id("analogy-pairs"),
    groups=("relation", "bias_type"),
    columns=columns_of("""
    a, b, c | text | the three words of every question: a is to b as c is to which word?
    expected | words | the expected answers; any of them will do
    relation | text | the relation of b to a, for the breakdown; may be empty
    bias_type | text | bias type of every question; 'none (control)' for a factual question
    sources, targets | words | for 3CosAvg: sets of words like a and like b, of any sizes; may be empty
    language, source | text
"""),
)
PREDICTIONS = DataKind(
    name="predictions",
    looks_at="which members of a class are recognised",
    loader="predictions:load_predictions",
    dataset=hub_id("profession-bios-mini"),
    groups=("references", "groups", "groups_2", "groups_3"),
    columns=columns_of("""
    predictions | label | the predictions of a classifier
    references | label | the true classes
    groups | label | the group that each row speaks of, such as a gender
    groups_2, groups_3 | label | a further division, such as an age: groups are then the combinations
    cluster | label | rows that belong together, such as all of one person: interval and p-value are over clusters
    id | text | names of the rows
    text, language | ignored
"""),
)
PRONOUN_PAIRS = DataKind(
    name="pronoun_pairs",
    looks_at="which pronoun goes with a profession",
    loader="pronoun_pairs:load_pronoun_pairs",
    options=("source", "split", "types", "language", "without_flags"),
    dataset=hub_id("winobias"),
    groups=("stereotype", "type"),
    columns=columns_of("""
    sentence_female | sentence | the sentences with the female pronoun, or their scores
    sentence_male | sentence | the same sentences with the male pronoun, or their scores
    stereotype | text | 'female' or 'male': the gender that a stereotype expects of the person the pronoun stands for
    profession | text | the person whom the pronoun stands for, such as 'nurse'
    sentence_neutral | text | the same sentences with a neutral pronoun
    other | text | the other person of the sentence, whom the pronoun does not stand for
    women_share | number | share of women in that profession, in [0, 1]; None where it is not known
    type | text | kind of sentence, for the breakdown, such as 'type1'; may be empty
    prediction_female, prediction_male | text | whom a coreference system linked the pronoun of this sentence to
    id | text | names of the pairs
    language | text
    flags | ignored
"""),
)
COMPLETIONS = DataKind(
    name="completions",
    looks_at="how sentences about people are completed",
    loader="prompts:load_completion_prompts",
    options=("source", "language", "identities"),
    dataset=hub_id("honest-templates"),
    groups=("group",),
    within=("template",),
    columns=columns_of("""
    prompt | text | sentences to be completed, each with one blank [M]
    completions | completions | ready completions of every prompt, a list of texts, in place of a model's
    group | text | the group that a prompt speaks of, such as 'female'; may be empty
    identity | text | the word for the person in it
    template | text | the template of every prompt; groups are compared within templates
    type | text | the kind of word that the blank stands for, for the breakdown; may be empty
    id | text | names of the prompts
    language | text | language of the prompts, which the lexicon must be in
    subgroup, number, source | ignored
"""),
)
DECISIONS = DataKind(
    name="decisions",
    loader="decisions:load_decisions",
    options=("source", "language", "attribute", "without_flags"),
    groups=("group",),
    within=("template",),
    columns=columns_of("""
    question | sentence | questions that are answered by yes or no, yes being in favour of a person; or log-odds of yes
    group | text | the group of the person that each question is about
    template | text | the template of every question; groups are compared within templates
    name | text | the name of the person, where names stand for the groups; names and templates are then both drawn
    id | text | names of the questions
    language | text | language of the questions
    gender, age, race, source | text
    flags | ignored
"""),
)
GENDER_STEREOTYPES = DataKind(
    name="gender_stereotypes",
    loader="gender_stereotypes:load_gender_stereotypes",
    dataset=hub_id("eurogest"),
    sample="gest_style",
    groups=("language", "stereotype"),
    columns=columns_of("""
    masculine, feminine | sentence | the two forms of every sentence, or the logarithms of their probabilities
    stereotype | label | the stereotype of every sentence, by its name, such as 'emotional', or its number from 1 to 16
    id | text | names of the sentences
    language | text | language of the sentences; each language has a score of its own
    origin | text
"""),
)
GROUP_PROMPTS = DataKind(
    name="group_prompts",
    looks_at="what is written about two groups",
    loader="prompts:load_group_prompts",
    groups=("group",),
    within=("prompt",),
    columns=columns_of("""
    prompt | text | prompts with {group} for a form of the group; each stands in a row for every group
    group | text | the group of every row, such as 'women'
    forms | words | what stands for {group}, then the group's other words, in one order for all; by default its name
    completions | completions | ready completions of every prompt, a list of texts, in place of a model's
    domain | text | what a prompt is about
    id | text | names of the rows
    language | text | language of the prompts
    source | ignored
"""),
)
ENTAILMENT_PAIRS = DataKind(
    name="entailment_pairs",
    looks_at="whether one sentence is taken to follow from another",
    loader="entailment_pairs:load_entailment_pairs",
    groups=("group",),
    within=("target", "template"),
    columns=columns_of("""
    premise | text | the premise of every pair
    hypothesis | text | the hypothesis, which differs from it in its subject alone
    target | text | the subject of the premise, such as 'accountant'
    attribute | text | the subject of the hypothesis, such as 'woman'
    group | text | the group of the attribute, such as 'women'
    template | text | what both say of their subject
    women_share | number | share of women among those who work as the target, in [0, 1]; None where it is not known
    entailment, neutral, contradiction | probability | ready probabilities of a classifier, in place of a model's
    id, language, origin | text
"""),
)
SCORES = DataKind(
    name="scores",
    loader="model_scores:load_scores",
    options=("source",),
    groups=("measure",),
    within=("model_name",),
    columns=columns_of("""
    model_name | text | the model that was measured
    measure | text | the measure: a name for every one
    score | number | the score of this model by this measure
    direction | text | 'lower_is_more_biased' turns the sign of the measure's scores; anything else leaves them
    method | text | registry name of the method behind the measure, if there is one
"""),
)
