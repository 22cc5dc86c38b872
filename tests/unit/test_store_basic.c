/* What is put into a record comes out of it again. */
#include "store_case.h"

static void create_makes_it_once(void **state)
{
	struct place *p = *state;

	assert_fails(p, ERR_EXISTS, "record already", store_create(p->db, "/x", &p->e));
}

static void record_knows_itself(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_READ);
	struct uuid uuid;
	char *workspace = store_workspace(st, &p->e);

	assert_string_equal(workspace, "/home/jm/premium-check");
	assert_done(p, store_uuid(st, &uuid, &p->e));
	assert_int_equal(uuid.b[6] >> 4, 4);
	assert_string_equal(store_path(st), p->db);
	free(workspace);
	store_close(st);
}

static void attempt_round_trip(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t id = case_queue(p, st, 0);
	struct attempt_full a;
	struct policy policy;
	struct environment env;

	assert_done(p, store_attempt_get(st, id, &a, &p->e));
	assert_int_equal(a.end.outcome, OUTCOME_RUNNING);
	assert_int_equal(a.end.attempt, 0);
	store_attempt_free(&a);

	case_end(p, st, id, "42\n", VERDICT_NONE);
	assert_done(p, store_attempt_get(st, id, &a, &p->e));
	assert_int_equal(a.attempt.step, 1);
	assert_int_equal(a.attempt.number, 1);
	assert_int_equal(a.last_number, 1);
	assert_string_equal(a.step.title, "Roll up TIV by postcode");
	assert_string_equal(a.step.script, "rollup.py");
	assert_string_equal(a.step.asker.name, "jm");
	assert_null(a.step.asker.version);
	assert_string_equal(a.attempt.asker.version, "1.2");
	assert_string_equal(a.attempt.args[1], "2024");
	assert_null(a.attempt.args[2]);
	assert_string_equal(a.attempt.env_names[1], "TOKEN");
	assert_string_equal(a.attempt.env_values[0], "0.5");
	assert_null(a.attempt.env_values[1]);
	assert_null(a.attempt.title);
	assert_string_equal(a.attempt.purpose, "try again");
	assert_string_equal(a.attempt.box, "/home/jm/premium-check");
	assert_string_equal(a.attempt.host, "desk");
	assert_int_equal(a.end.outcome, OUTCOME_OK);
	assert_int_equal(a.end.exit_code, 0);
	assert_int_equal(a.end.peak_memory, 42000000);
	assert_int_equal(a.refusals_n, 1);
	assert_string_equal(a.refusals[0].argument, "AF_INET");
	assert_int_equal(a.verdict, VERDICT_NONE);

	assert_done(p, store_policy_get(st, a.attempt.policy, &policy, &p->e));
	assert_memory_equal(&policy, &case_policy, sizeof(policy));
	assert_done(p, store_environment_get(st, a.attempt.environment, &env, &p->e));
	assert_string_equal(env.packages, case_environment.packages);
	store_environment_free(&env);
	store_attempt_free(&a);
	store_close(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(create_makes_it_once, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(record_knows_itself, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(attempt_round_trip, case_setup, case_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
